/** The first page of `/control`: clock, scheduled steps, chaos. */
import type { FC } from 'hono/jsx';
import { Empty } from '../../../src/pages/list.tsx';
import { State } from '../../../src/pages/state.tsx';
import { Table } from '../../../src/pages/table.tsx';
import { Time } from '../../../src/pages/time.tsx';
import { selectSteps, type DueStep } from '../../scenario/scheduled-steps.ts';
import type { ChaosEffect, ChaosRates } from '../../webhooks/chaos/chaos-rates.ts';
import { listEndpoints, type KnownEndpoint } from '../../webhooks/manage-endpoints.ts';
import type { ControlDeps } from '../control.ts';
import { Act, ControlFrame, paths, type ControlView } from './control-frame.tsx';

/** Scheduled steps that are shown. */
const STEPS = 12;

/** The first page: the clock, what happens next, the endpoints, and chaos. */
export async function overviewPage(view: ControlView, { provider, scenario, sender }: ControlDeps) {
  const [steps, endpoints] = await Promise.all([
    selectSteps(provider.query).limit(STEPS).execute(),
    listEndpoints(provider),
  ]);
  return (
    <ControlFrame view={view} current="overview" title={view.words.names.overview}>
      <h1>
        {view.words.clock.inBrazil}{' '}
        <time datetime={new Date(provider.clock.now()).toISOString()}>
          {inBrazil(view, provider.clock.now())}
        </time>
      </h1>
      <Clock view={view} speed={provider.clock.speed} paused={scenario.isPaused} />
      <h2>{view.words.endpoints.heading}</h2>
      <Endpoints view={view} endpoints={endpoints} />
      <h2>{view.words.steps.heading}</h2>
      <Steps view={view} steps={steps} />
      <h2>{view.words.chaos.heading}</h2>
      <Chaos view={view} rates={sender.chaos().rates} />
    </ControlFrame>
  );
}

/** In the zone of the fleet. The script of the console leaves it alone: it has no `data-as`. */
function inBrazil({ page: { language } }: ControlView, now: number): string {
  return new Intl.DateTimeFormat(language, {
    dateStyle: 'full',
    timeStyle: 'medium',
    timeZone: 'America/Sao_Paulo',
  }).format(now);
}

const Clock: FC<{ readonly view: ControlView; readonly speed: number; readonly paused: boolean }> = ({
  view,
  speed,
  paused,
}) => {
  const { clock } = view.words;
  return (
    <>
      <p class="lead">
        {clock.heading}:{' '}
        {speed === 0 ? clock.stopped : speed === 1 ? clock.normal : clock.runs(String(speed))}.
        {paused && ` ${clock.paused}`}
      </p>
      <div class="actions">
        {Object.entries(clock.speeds)
          .filter(([each]) => Number(each) !== speed)
          .map(([each, label]) => (
            <Act
              view={view}
              to="/clock/speed"
              method="PUT"
              label={label}
              about={clock.speed}
              fields={{ speed: each }}
            />
          ))}
        <Act
          view={view}
          to={paused ? '/scenario/resume' : '/scenario/pause'}
          label={paused ? clock.resume : clock.pause}
        />
      </div>
      <Act view={view} to="/clock/advance" label={clock.go} primary>
        <label>
          <span>{clock.advance}</span>
          <input name="by" placeholder={clock.advanceHint} required autocomplete="off" />
        </label>
      </Act>
    </>
  );
};

const Endpoints: FC<{ readonly view: ControlView; readonly endpoints: readonly KnownEndpoint[] }> = ({
  view,
  endpoints,
}) => {
  const { endpoints: words, organization } = view.words;
  const { format } = view.page;
  if (endpoints.length === 0) return <Empty>{words.none}</Empty>;
  return (
    <Table
      rows={endpoints}
      columns={[
        { head: words.url, as: 'code', cell: ({ url }) => url },
        { head: organization, cell: (row) => row.organization },
        { head: words.signed, cell: ({ signed }) => (signed ? words.yes : words.no) },
        { head: words.lanes, as: 'number', cell: ({ lanes }) => format.number(lanes) },
        { head: words.waiting, as: 'number', cell: ({ waiting }) => format.number(waiting) },
        {
          head: words.dead,
          as: 'number',
          cell: ({ dead }) =>
            dead === 0 ? (
              '0'
            ) : (
              <a class="bad" href={`${paths.deliveries}?status=dead`}>
                {format.number(dead)}
              </a>
            ),
        },
      ]}
    />
  );
};

const Steps: FC<{ readonly view: ControlView; readonly steps: readonly DueStep[] }> = ({ view, steps }) => {
  const { steps: words } = view.words;
  if (steps.length === 0) return <Empty>{words.none}</Empty>;
  return (
    <Table
      rows={steps}
      columns={[
        { head: words.due, cell: ({ due_at }) => <Time iso={due_at} as="relative" /> },
        { head: words.process, cell: ({ process }) => words.processes[process] },
        { head: words.record, as: 'number', cell: ({ subject_id }) => String(subject_id) },
        {
          head: view.words.byHand,
          cell: ({ process, subject_id }) => {
            const [step, about] = [
              `/steps/${process}/${String(subject_id)}`,
              `${words.processes[process]} ${String(subject_id)}`,
            ];
            return (
              <div class="acts">
                <Act view={view} to={`${step}/run`} label={words.run} about={about} />
                <Act view={view} to={step} method="DELETE" label={words.drop} about={about} />
              </div>
            );
          },
        },
      ]}
    />
  );
};

const Chaos: FC<{ readonly view: ControlView; readonly rates: ChaosRates }> = ({ view, rates }) => {
  const { chaos } = view.words;
  const effects = Object.entries(chaos.effects) as [ChaosEffect, string][];
  const active = effects.filter(([effect]) => rates[effect] > 0);
  return (
    <>
      <p class="lead">
        {chaos.lead}{' '}
        {active.map(([effect]) => (
          <>
            <State tone="warn" word={effect} />{' '}
          </>
        ))}
      </p>
      <Act view={view} to="/chaos" method="PUT" label={chaos.set} columns>
        {effects.map(([effect, meaning]) => (
          <label>
            <span>
              <span class="mono">{effect}</span> {meaning}
            </span>
            <input name={effect} value={String(rates[effect])} inputmode="decimal" autocomplete="off" />
          </label>
        ))}
      </Act>
      {active.length > 0 && <Act view={view} to="/chaos" method="DELETE" label={chaos.calm} />}
    </>
  );
};
