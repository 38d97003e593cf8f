import { tmpdir } from 'node:os';
import { createKeeper } from '../bench/lifetime/keeper.mjs';
import { compareAll } from './compare/compare-all.mjs';
import { openOutbox } from './compare/outbox.mjs';
import { comeToRest } from './day/come-to-rest.mjs';
import { fleetClock, timeInBrazil } from './day/fleet-clock.mjs';
import { playDay } from './day/play-day.mjs';
import { createDisplay } from './show/display.mjs';
import { keptText } from './show/kept-text.mjs';
import { comparisonText, differencesText, flowText, remarksOf } from './show/summary.mjs';
import { startWorld } from './world/start-world.mjs';

/**
 * Plays the day, compares, and tells. Whatever happens, what was started ends
 * and, unless it is to be kept, what was written goes.
 *
 * @param {import('./options.mjs').DemoOptions} options
 * @param {{ readonly out: NodeJS.WriteStream, readonly signal: AbortSignal }} surroundings
 * @returns {Promise<boolean>} whether both sides agree about every subject
 */
export async function runDemo(options, { out, signal }) {
  const keeper = await createKeeper(tmpdir(), { name: 'portaria-demo-', keep: options.keep });
  const display = createDisplay(out);
  /** @type {import('./world/start-world.mjs').World | undefined} */
  let world;
  try {
    display.note(`data in ${keeper.root}`);
    world = await startWorld({ keeper, folder: keeper.root, signal }, options, display.stage);
    return await demonstrate(world, options, { out, display });
  } finally {
    display.end();
    world?.close();
    await keeper.end();
    if (options.keep && world !== undefined) out.write(keptText(world));
  }
}

/**
 * @param {import('./world/start-world.mjs').World} world
 * @param {import('./options.mjs').DemoOptions} options
 * @param {{ readonly out: NodeJS.WriteStream, readonly display: import('./show/display.mjs').Display }} how
 */
async function demonstrate(world, options, { out, display }) {
  const began = performance.now();
  const { wire, application, receiver } = world;
  const outbox = openOutbox(world.provider.database);
  display.figures(
    () =>
      `${outbox.changes()} records changed · ${wire.counts.sent} webhooks sent · ${application.counts.taken} forwarded`,
  );
  const clock = await fleetClock(world.control);
  display.stage('the night before');
  await clock.goTo(clock.dayStart);
  display.at(timeInBrazil(clock.dayStart), 0);
  display.stage('the day of a fleet');
  const { counts: errands, wereInactive } = await playDay(world, { clock, options, display });

  display.stage('the day is over: waiting until everything has arrived');
  await comeToRest(world, clock, outbox, display.doing);
  display.stage('comparing every subject');
  const comparisons = await compareAll(world, outbox, { wereInactive, tell: display.doing });
  const statistics = await receiver.read('/api/stats');
  const { dead: undeliverable } = outbox.left();
  const changes = outbox.changes();
  outbox.close();
  display.end();

  const seconds = Math.round((performance.now() - began) / 1000);
  const figures = {
    errands,
    changes,
    undeliverable,
    wire: wire.counts,
    statistics,
    application: application.counts,
  };
  const problems = problemsOf(figures, world.drift);
  out.write(
    [
      '',
      flowText(figures),
      '',
      comparisonText(comparisons),
      '',
      ...remarksOf(comparisons),
      ...problems,
      differencesText(comparisons, seconds),
      '',
    ].join('\n'),
  );
  return problems.length === 0 && comparisons.every(({ standing }) => standing !== 'different');
}

/**
 * What must not be, beside differences.
 *
 * @param {import('./show/summary.mjs').Figures} figures
 * @param {ReadonlySet<string>} drift
 */
function problemsOf({ undeliverable, statistics, application }, drift) {
  return [
    ...[...drift].map((each) => `an answer that the contract does not know: ${each}`),
    ...(undeliverable > 0 ? [`the service gave up ${undeliverable} webhooks`] : []),
    ...(statistics.deliveries.dead > 0 ? [`${statistics.deliveries.dead} deliveries are dead`] : []),
    ...(application.taken === statistics.events
      ? []
      : [`the application took ${application.taken} of ${statistics.events} events`]),
  ];
}
