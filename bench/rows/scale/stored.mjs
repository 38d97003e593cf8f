import { fileURLToPath } from 'node:url';
import { shortViolation } from '../../load/violation.mjs';
import { numberText } from '../../report/number-text.mjs';
import { median } from '../../report/spread.mjs';
import { startPortaria } from '../../servers/portaria.mjs';
import { queryOnce } from '../../servers/query-once.mjs';
import { fillPostgres } from '../../store/fill-postgres.mjs';
import { burstRate } from '../burst-rate.mjs';
import { drained, finishedBy, finisher } from '../steady-rate.mjs';

const NOOP = fileURLToPath(new URL('../../handlers/noop', import.meta.url));

/** Events of each stored subject, whose lane has as many deliveries. */
const EVENTS_PER_LANE = 5;

/** The cost of a large store on PostgreSQL. */
/** @type {import('../rows.mjs').Rows} */
export const scaleStored = {
  name: 'scale-stored',
  rows: ({ storedEvents: events }) => [
    {
      id: 'scale-stored',
      what: `PostgreSQL: receive and finish with ${events.toLocaleString('en')} events in ${(events / EVENTS_PER_LANE).toLocaleString('en')} lanes stored / empty`,
      aim: { min: 0.85 },
    },
  ],
  async measure(bench) {
    const { supervisor, plan, results, report } = bench;
    const postgres = await bench.postgres();
    const start = (/** @type {string} */ database) => startPortaria(supervisor, { database, handlers: NOOP });
    const database = await postgres.database();
    const first = await start(database);
    await receive(first.url);
    await drained(finisher(first));
    await first.stop();
    const startedAt = performance.now();
    await fillPostgres(database, { events: plan.storedEvents, perSubject: EVENTS_PER_LANE });
    report(
      `${plan.storedEvents.toLocaleString('en')} events written in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`,
    );

    const [full, empty] = [await start(database), await start(await postgres.database())];
    await bench.warmUp(full);
    await bench.warmUp(empty);
    const [onFull, onEmpty] = [[], []];
    for (let round = 0; round < plan.scaleRounds; round += 1) {
      const turns = [
        { server: full, rates: onFull },
        { server: empty, rates: onEmpty },
      ];
      for (const { server, rates } of round % 2 === 0 ? turns : turns.toReversed()) {
        rates.push((await burstRate(bench, [server], finishedBy(server))).perSecond);
      }
      results.add('scale-stored', onFull[round] / onEmpty[round]);
    }
    const [{ bytes }] = await queryOnce(
      database,
      'select pg_database_size(current_database())::float8 as bytes',
    );
    results.note(
      'scale-stored',
      `${numberText(median(onFull))}/s on ${numberText(bytes / 1e9)} GB, ${numberText(median(onEmpty))}/s on an empty database`,
    );
    await Promise.all([full.stop(), empty.stop()]);
  },
};

/** The first event, which is copied. @param {string} url */
async function receive(url) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: shortViolation(7_000_000_000) });
  if (response.status !== 202) throw new Error(`the first event got the response ${response.status}`);
}
