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
    const { plan, results } = bench;
    const postgres = await bench.postgres();
    const [free, blocked] = [await postgres.database(), await postgres.database()];
    await withReceiver(bench, blocked, async ({ url }) => {
      await block(url);
      await untilBlocked(blocked);
    });

    const [besideBlocked, besideNone] = [[], []];
    for (let round = 0; round < plan.blockedRounds; round += 1) {
      const runs = [
        async () => besideNone.push(await finishedEachSecond(bench, free)),
        async () => besideBlocked.push(await finishedEachSecond(bench, blocked)),
      ];
      for (const run of round % 2 === 0 ? runs : runs.reverse()) await run();
      results.add('scale-blocked', besideBlocked[round] / besideNone[round]);
    }
    await untilBlocked(blocked);
    results.note(
      'scale-blocked',
      `${numberText(median(besideBlocked))}/s beside blocked lanes, ${numberText(median(besideNone))}/s without`,
    );
  },
};

/**
 * @param {import('../../bench.mjs').Bench} bench
 * @param {string} database
 */
async function finishedEachSecond(bench, database) {
  return withReceiver(bench, database, async (receiver) => {
    await untilNothingIsDue(database);
    const { perSecond } = await burstRate(bench, [receiver], finishedBy(receiver));
    return perSecond;
  });
}

/**
 * Starts a receiver for one use. Only one runs at a time, because its retries of blocked lanes would slow another.
 *
 * @template T
 * @param {import('../../bench.mjs').Bench} bench
 * @param {string} database
 * @param {(receiver: import('../../servers/portaria.mjs').Portaria) => Promise<T>} use
 */
async function withReceiver(bench, database, use) {
  const receiver = await startPortaria(bench.supervisor, { database, handlers: FAILING });
  await bench.warmUp(receiver);
  const result = await use(receiver);
  await receiver.stop();
  return result;
}

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
 * Waits until the attempts are over that became due while no receiver ran.
 *
 * @param {string} database
 */
async function untilNothingIsDue(database) {
  for (let quiet = 0; quiet < 3;) {
    const [{ due }] = await queryOnce(
      database,
      `select count(*)::integer as due from deliveries where finished_at is null
         and (status = 'running' or (head > 0 and due_at <= extract(epoch from now()) * 1000))`,
    );
    quiet = due < LANES / 100 ? quiet + 1 : 0;
    await pause(200);
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
