/** Metrics of arrivals, problems and alerts. */
import { Gauge, type Registry } from 'prom-client';
import type { Observation } from '../attention/observe.ts';
import type { Monitoring, MonitoringState } from '../store/monitoring.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { recentRead } from './store-gauges.ts';

interface MonitoringGaugesDeps {
  readonly store: Pick<Monitoring, 'monitoring'>;
  readonly clock: Clock;
  /** What the last check for problems has found; nothing before the first. */
  readonly observation: () => Observation;
}

/** Registers metrics of arrivals, problems and alerts, which every process of a store has, as of its last look. */
export function addMonitoringGauges(
  registry: Registry,
  { store, clock, observation }: MonitoringGaugesDeps,
): void {
  const monitoring = recentRead(() => store.monitoring(), clock);

  /** Registers a gauge of what is there now: a series that is not returned ends, and equal labels are added up. */
  function addSeries<L extends string>(
    name: string,
    about: {
      readonly help: string;
      readonly labelNames: L[];
      readonly series: (now: MonitoringState) => readonly (readonly [Record<L, string>, number])[];
    },
  ): void {
    const { help, labelNames, series } = about;
    registry.registerMetric(
      new Gauge({
        ...{ name, help, labelNames },
        registers: [],
        async collect() {
          const now = await monitoring();
          this.reset();
          for (const [labels, value] of now === null ? [] : series(now)) this.inc(labels, value);
        },
      }),
    );
  }

  registry.registerMetric(
    new Gauge({
      name: 'portaria_last_received_timestamp_seconds',
      help: 'When the last event of a kind arrived from a source, in seconds since 1970.',
      labelNames: ['source', 'kind'],
      registers: [],
      async collect() {
        const now = await monitoring();
        for (const [labels, at] of lastReceived(now?.received ?? [])) this.set(labels, at / 1000);
      },
    }),
  );
  addSeries('portaria_reconciled_timestamp_seconds', {
    help: "When the last complete look at the provider's records of a family began, in seconds since 1970; of several sources the oldest.",
    labelNames: ['family'],
    series: ({ looks }) =>
      [...Map.groupBy(looks, (look) => look.family)].map(([family, all]) => [
        { family },
        Math.min(...all.map(({ at }) => at)) / 1000,
      ]),
  });
  addSeries('portaria_drift', {
    help: "Subjects that differ from the provider's records, by outcome, as of the last look.",
    labelNames: ['family', 'outcome'],
    series: ({ looks }) =>
      looks.flatMap(({ family, differing }) =>
        Object.entries(differing).map(([outcome, subjects]) => [{ family, outcome }, subjects] as const),
      ),
  });
  addSeries('portaria_rate_waiting_lanes', {
    help: 'Lanes that wait for the rate of their handler: at most 1,000 are counted.',
    labelNames: ['handler'],
    series: ({ rates }) => rates.waiting.map(({ handler, lanes }) => [{ handler }, lanes]),
  });
  addSeries('portaria_rate_closed', {
    help: 'Rates whose target has asked for a pause, by handler or shared name: 1 for each.',
    labelNames: ['bucket'],
    series: ({ rates }) => rates.closed.map(({ bucket }) => [{ bucket }, 1]),
  });
  registry.registerMetric(
    new Gauge({
      name: 'portaria_problems',
      help: 'Problems that need an operator, found once a minute: 1 for each.',
      labelNames: ['problem', 'of'],
      registers: [],
      collect() {
        this.reset();
        for (const { problem, of } of observation().problems) this.set({ problem, of: of ?? '' }, 1);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'portaria_waiting_alerts',
      help: 'Alerts that are not delivered yet.',
      registers: [],
      async collect() {
        const now = await monitoring();
        if (now !== null) this.set(now.waitingAlerts);
      },
    }),
  );
}

type Labels = { readonly source: string; readonly kind: string };

/** Each label value is a time series forever, so all kinds outside the contract share one. */
function lastReceived(received: MonitoringState['received']): readonly (readonly [Labels, number])[] {
  const last = new Map<string, readonly [Labels, number]>();
  for (const { source, kind, recognized, lastReceivedAt } of received) {
    const labels = { source, kind: recognized ? kind : 'unrecognized' };
    const key = `${labels.source} ${labels.kind}`;
    last.set(key, [labels, Math.max(lastReceivedAt, last.get(key)?.[1] ?? 0)]);
  }
  return [...last.values()];
}
