import { fileURLToPath } from 'node:url';
import { runToEnd } from '../load/run-to-end.mjs';
import { violation } from '../load/violation.mjs';
import { numberText } from '../report/number-text.mjs';
import { main, portariaEnvironment, startPortaria } from '../servers/portaria.mjs';
import { prefill } from '../store/prefill.mjs';

const NOOP = fileURLToPath(new URL('../handlers/noop', import.meta.url));

/** Events of the small replay, which measures start and end. */
const FEW = 1_000;

/** `portaria replay` beside a running `serve`: planned, run and recorded. */
/** @type {import('./rows.mjs').Rows} */
export const replay = {
  name: 'replay',
  rows: () => [
    { id: 'replay', what: 'replay through a no-op handler', aim: { min: 30_000 }, unit: 'events/s' },
  ],
  async measure(bench) {
    const { supervisor, plan, results } = bench;
    /** @param {number} events */
    const fill = async (events) => {
      const database = `${await supervisor.folder('replay')}/portaria.db`;
      await prefill(bench, { database, events, body: violation, handlers: bench.noHandlers });
      return database;
    };
    const events = plan.replayEvents;
    const [few, many] = [await fill(FEW), await fill(events)];
    for (let round = 0; round < plan.slowRounds; round += 1) {
      const seconds = (await replaySeconds(bench, many, events)) - (await replaySeconds(bench, few, FEW));
      results.add('replay', (events - FEW) / seconds);
    }
    results.note('replay', `${numberText(events)} events, each of another subject`);
  },
};

/**
 * @param {import('../bench.mjs').Bench} bench
 * @param {string} database
 * @param {number} events
 */
async function replaySeconds(bench, database, events) {
  const serve = await startPortaria(bench.supervisor, { database, handlers: NOOP });
  const env = portariaEnvironment({ PORTARIA_DATABASE: database, PORTARIA_HANDLERS: NOOP });
  const args = [main, 'replay', '--handler', 'noop', '--yes', '--json'];
  const whole = await timed(() => runToEnd(bench.supervisor, process.execPath, args, { env }));
  await serve.stop();
  const { succeeded } = whole.result;
  if (succeeded !== events) throw new Error(`${succeeded} of ${events} events were replayed`);
  return whole.seconds;
}

/**
 * @param {() => Promise<any>} run
 */
async function timed(run) {
  const startedAt = performance.now();
  const result = await run();
  return { result, seconds: (performance.now() - startedAt) / 1_000 };
}
