import { fileURLToPath } from 'node:url';
import { runToEnd } from '../load/run-to-end.mjs';
import { violation } from '../load/violation.mjs';
import { numberText } from '../report/number-text.mjs';
import { main, portariaEnvironment } from '../servers/portaria.mjs';
import { prefill } from '../store/prefill.mjs';

const NOOP = fileURLToPath(new URL('../handlers/noop', import.meta.url));

/** Enough to tell how many a longer run takes. */
const FEW = 1_000;

/** What any machine has room for. */
const MOST = 300_000;

/** `portaria replay` as one runs it beside no `serve`: planned, run and recorded. */
/** @type {import('./rows.mjs').Rows} */
export const replay = {
  name: 'replay',
  rows: () => [
    { id: 'replay', what: 'replay through a no-op handler', aim: { least: 30_000 }, unit: 'events/s' },
  ],
  async measure(bench) {
    const { keeper, plan, results } = bench;
    /** @param {number} events */
    const fill = async (events) => {
      const database = `${await keeper.folder('replay')}/portaria.db`;
      await prefill(bench, { database, events, body: violation, handlers: bench.noHandlers });
      return database;
    };
    let database = await fill(FEW);
    const guess = FEW / (await replaySeconds(bench, database, FEW));
    const events = Math.min(MOST, Math.max(FEW, Math.round(guess * plan.replaySeconds)));
    if (events > FEW) database = await fill(events);
    for (let round = 0; round < plan.slowRounds; round += 1) {
      results.add('replay', events / (await replaySeconds(bench, database, events)));
    }
    results.note('replay', `${numberText(events)} events, each of another subject`);
  },
};

/**
 * Without what it takes to start the process, which is the same for ten events and for millions.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {string} database
 * @param {number} events
 */
async function replaySeconds(bench, database, events) {
  const env = portariaEnvironment({ PORTARIA_DATABASE: database, PORTARIA_HANDLERS: NOOP });
  const start = await timed(() =>
    runToEnd(bench.keeper, process.execPath, [main, 'stats', '--json'], { env }),
  );
  const args = [main, 'replay', '--handler', 'noop', '--yes', '--json'];
  const whole = await timed(() => runToEnd(bench.keeper, process.execPath, args, { env }));
  const { succeeded } = whole.result.progress;
  if (succeeded !== events) throw new Error(`${succeeded} of ${events} events were replayed`);
  return whole.seconds - start.seconds;
}

/**
 * @param {() => Promise<any>} run
 */
async function timed(run) {
  const startedAt = performance.now();
  const result = await run();
  return { result, seconds: (performance.now() - startedAt) / 1_000 };
}
