import { fileURLToPath } from 'node:url';
import { runToEnd } from '../../load/run-to-end.mjs';
import { numberText } from '../../report/number-text.mjs';
import { median } from '../../report/spread.mjs';

const PROGRAM = fileURLToPath(new URL('../../engine/run.mjs', import.meta.url));

/** Lanes that have many events each, and lanes that have one. */
const SHAPES = [
  { id: 'scale-engine-single', what: 'one event a lane', lanesOf: (/** @type {number} */ events) => events },
  { id: 'scale-engine-many', what: '1,000 lanes', lanesOf: () => 1_000 },
];

/** Which finds work faster: the rows of the lanes themselves, or a job of pg-boss for each active lane. */
/** @type {import('../rows.mjs').Rows} */
export const scaleEngine = {
  name: 'scale-engine',
  rows: () =>
    SHAPES.map(({ id, what }) => ({
      id,
      what: `PostgreSQL: lanes by their rows / a job of pg-boss each, ${what}`,
      aim: { min: 1 },
    })),
  async measure({ supervisor, plan, results, peersMissing, ...bench }) {
    if (peersMissing !== undefined) throw new Error(peersMissing);
    const postgres = await bench.postgres();
    const events = plan.engineEvents;
    for (const { id, lanesOf } of SHAPES) {
      /** @type {Record<string, number[]>} */
      const rates = { rows: [], 'pg-boss': [] };
      for (let round = 0; round < plan.scaleRounds; round += 1) {
        for (const engine of round % 2 === 0 ? ['rows', 'pg-boss'] : ['pg-boss', 'rows']) {
          const args = [engine, await postgres.database(), String(events), String(lanesOf(events))];
          const { perSecond } = await runToEnd(supervisor, process.execPath, [PROGRAM, ...args]);
          rates[engine]?.push(perSecond);
        }
        results.add(id, rates.rows[round] / rates['pg-boss'][round]);
      }
      results.note(
        id,
        `rows ${numberText(median(rates.rows))}/s, pg-boss ${numberText(median(rates['pg-boss']))}/s, received and finished in order`,
      );
    }
  },
};
