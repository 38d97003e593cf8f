import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { violationOf } from '../../load/violation.mjs';
import { numberText } from '../../report/number-text.mjs';
import { median } from '../../report/spread.mjs';
import { startPortaria } from '../../servers/portaria.mjs';
import { queryOnce } from '../../servers/query-once.mjs';
import { burstRate } from '../burst-rate.mjs';
import { finishedBy } from '../steady-rate.mjs';

const FAILING = fileURLToPath(new URL('../../handlers/failing', import.meta.url));

const LANES = 1_000;
/** Events of each blocked lane: the first fails again and again, and the others wait for it. */
const EVENTS = 3;
/** The first id of the subjects for which the handler fails. */
const FIRST_FAILING = 9_000_000_000;
/** Requests at a time. */
const AT_ONCE = 50;

/** Throughput of other lanes while a thousand are blocked by deliveries that fail, against none. */
/** @type {import('../rows.mjs').Rows} */
export const scaleBlocked = {
  name: 'scale-blocked',
  rows: () => [
    {
      id: 'scale-blocked',
      what: 'PostgreSQL: receive and finish beside 1,000 blocked lanes / none',
      aim: { min: 0.9 },
    },
  ],
  async measure(bench) {
    const { supervisor, plan, results } = bench;
    const postgres = await bench.postgres();
    const database = await postgres.database();
    const start = (/** @type {string} */ address) =>
      startPortaria(supervisor, { database: address, handlers: FAILING });
    const free = await start(await postgres.database());
    const blocked = await start(database);
    await bench.warmUp(free);
    await bench.warmUp(blocked);
    await block(blocked.url);
    await untilBlocked(database);

    const [besideBlocked, besideNone] = [[], []];
    for (let round = 0; round < plan.slowRounds; round += 1) {
      for (const [server, rates] of round % 2 === 0
        ? [
            [free, besideNone],
            [blocked, besideBlocked],
          ]
        : [
            [blocked, besideBlocked],
            [free, besideNone],
          ]) {
        rates.push((await burstRate(bench, [server], finishedBy(server))).perSecond);
      }
      results.add('scale-blocked', besideBlocked[round] / besideNone[round]);
    }
    await untilBlocked(database);
    results.note(
      'scale-blocked',
      `${numberText(median(besideBlocked))}/s beside blocked lanes, ${numberText(median(besideNone))}/s without`,
    );
    await Promise.all([free.stop(), blocked.stop()]);
  },
};

/** @param {string} url */
async function block(url) {
  const bodies = Array.from({ length: LANES * EVENTS }, (_, at) =>
    violationOf(FIRST_FAILING + (at % LANES), at),
  );
  while (bodies.length > 0) {
    await Promise.all(
      bodies.splice(0, AT_ONCE).map(async (body) => {
        const headers = { 'content-type': 'application/json' };
        const response = await fetch(url, { method: 'POST', headers, body });
        if (response.status !== 202) throw new Error(`an event got the response ${response.status}`);
        await response.arrayBuffer();
      }),
    );
  }
}

/**
 * Waits until each lane has failed at least once.
 *
 * @param {string} database
 */
async function untilBlocked(database) {
  for (;;) {
    const [{ lanes }] = await queryOnce(
      database,
      'select count(distinct lane)::integer as lanes from deliveries where finished_at is null and attempts > 0',
    );
    if (lanes === LANES) return;
    await pause(200);
  }
}
