import { tmpdir } from 'node:os';
import { createSupervisor } from '../bench/lifetime/supervisor.mjs';
import { compareAll } from './compare/compare-all.mjs';
import { openOutbox } from './compare/outbox.mjs';
import { waitUntilIdle } from './day/wait-until-idle.mjs';
import { fleetClock, timeInBrazil } from './day/fleet-clock.mjs';
import { playDay } from './day/play-day.mjs';
import { createDisplay } from './show/display.mjs';
import { keptDataText } from './show/kept-data.mjs';
import { pagesText, untilInterrupted } from './show/pages.mjs';
import { comparisonText, differencesOf, differencesText, explanationsOf, flowText } from './show/summary.mjs';
import { startEnvironment } from './environment/start-environment.mjs';

/** Exit codes of a repair: the application fails some first attempts, which are made again. */
const REPAIRED = [0, 5];

/**
 * Plays the day, compares both sides and prints the result. Every process is
 * ended, and the data is removed unless it is to be kept, in any case.
 *
 * @param {import('./options.mjs').DemoOptions} options
 * @param {{ readonly out: NodeJS.WriteStream, readonly signal: AbortSignal }} context
 * @returns {Promise<boolean>} whether both sides agree about every subject
 */
export async function runDemo(options, { out, signal }) {
  const supervisor = await createSupervisor(tmpdir(), { name: 'portaria-demo-', keep: options.keep });
  const display = createDisplay(out);
  /** @type {import('./environment/start-environment.mjs').Environment | undefined} */
  let environment;
  try {
    display.note(`data in ${supervisor.root}`);
    environment = await startEnvironment(
      { supervisor, folder: supervisor.root, signal },
      options,
      display.stage,
    );
    if (options.console) display.note(`open in a browser:\n${pagesText(environment)}`);
    const isEqual = await demonstrate(environment, options, { out, display });
    if (options.console) {
      // The scenario was paused to compare. Time goes on at the speed of the machine.
      await environment.control.post('/scenario/resume');
      out.write(`\nThe day is over; both sides stay until Ctrl-C:\n${pagesText(environment)}\n`);
      await untilInterrupted(signal);
    }
    return isEqual;
  } finally {
    display.end();
    environment?.close();
    await supervisor.end();
    if (options.keep && environment !== undefined) out.write(keptDataText(environment));
  }
}

/**
 * @param {import('./environment/start-environment.mjs').Environment} environment
 * @param {import('./options.mjs').DemoOptions} options
 * @param {{ readonly out: NodeJS.WriteStream, readonly display: import('./show/display.mjs').Display }} how
 */
async function demonstrate(environment, options, { out, display }) {
  const began = performance.now();
  const { proxy, application, receiver } = environment;
  const outbox = openOutbox(environment.provider.database);
  display.figures(
    () =>
      `${outbox.changes()} records changed · ${proxy.counts.sent} webhooks sent · ${application.counts.taken} forwarded`,
  );
  const clock = await fleetClock(environment.control);
  display.stage('the night before');
  await clock.advanceTo(clock.dayStart);
  display.at(timeInBrazil(clock.dayStart), 0);
  display.stage('the day of a fleet');
  const { counts: errands, wereInactive, outages } = await playDay(environment, { clock, options, display });

  display.stage('the day is over: waiting for the last webhooks');
  await waitUntilIdle(environment, clock, outbox, display.activity);
  display.stage('comparing every subject');
  const compare = () => compareAll(environment, outbox, { wereInactive, report: display.activity });
  const before = await compare();
  const repaired = options.losses ? await repairedOf(environment, { clock, outbox, display, compare }) : null;
  const comparisons = repaired ?? before;
  const statistics = await receiver.read('/api/stats');
  const { dead: undeliverable, lost } = outbox.left();
  const changes = outbox.changes();
  outbox.close();
  display.end();

  const seconds = Math.round((performance.now() - began) / 1000);
  const figures = {
    errands,
    changes,
    lost,
    undeliverable,
    outages,
    proxy: proxy.counts,
    takenBy: proxy.taken,
    statistics,
    application: application.counts,
  };
  const problems = problemsOf(figures, environment.drift, options);
  /** @param {readonly import('./compare/compare-subject.mjs').Comparison[]} compared */
  const shown = (compared) => [comparisonText(compared), '', ...explanationsOf(compared)];
  out.write(
    [
      '',
      flowText(figures),
      '',
      ...(repaired === null ? [] : ['before the repair', ...shown(before), 'after the repair']),
      ...shown(comparisons),
      ...problems,
      differencesText(comparisons, seconds, repaired !== null),
      '',
    ].join('\n'),
  );
  return problems.length === 0 && differencesOf(comparisons, repaired !== null).length === 0;
}

/**
 * Repairs what was lost from the provider's records, waits until it is handled, and compares again.
 *
 * @param {import('./environment/start-environment.mjs').Environment} environment
 * @param {object} day
 * @param {import('./day/fleet-clock.mjs').FleetClock} day.clock
 * @param {ReturnType<typeof openOutbox>} day.outbox
 * @param {import('./show/display.mjs').Display} day.display
 * @param {() => ReturnType<typeof compareAll>} day.compare
 */
async function repairedOf(environment, { clock, outbox, display, compare }) {
  display.stage("repairing what was lost from the provider's records");
  await environment.receiver.run(['reconcile', '--repair', '--yes'], REPAIRED);
  await waitUntilIdle(environment, clock, outbox, display.activity);
  display.stage('comparing every subject again');
  return compare();
}

/**
 * Problems other than differences.
 *
 * @param {import('./show/summary.mjs').Figures} figures
 * @param {ReadonlySet<string>} drift
 * @param {{ readonly losses: boolean }} options
 */
function problemsOf({ undeliverable, statistics, application }, drift, { losses }) {
  return [
    ...[...drift].map((each) => `a response outside the contract: ${each}`),
    ...(undeliverable > 0 && !losses ? [`the provider gave up ${undeliverable} webhooks`] : []),
    ...(statistics.deliveries.dead > 0 ? [`${statistics.deliveries.dead} deliveries are dead`] : []),
    ...(application.taken === statistics.events
      ? []
      : [`the application received ${application.taken} of ${statistics.events} events`]),
  ];
}
