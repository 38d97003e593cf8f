import { fileURLToPath } from 'node:url';
import { numberText } from '../../report/number-text.mjs';
import { median } from '../../report/spread.mjs';
import { startPeer } from '../../servers/start-peer.mjs';
import { startPortaria } from '../../servers/portaria.mjs';
import { finisher, steadyRate } from '../steady-rate.mjs';

const NOOP = fileURLToPath(new URL('../../handlers/noop', import.meta.url));

/** Subjects of the load: each has an event in flight and others behind it. */
const SUBJECTS = 1_000;

/** Receiving and finishing in order, against pg-boss's queue with the policy `key_strict_fifo`. */
/** @type {import('../rows.mjs').Rows} */
export const scaleFinish = {
  name: 'scale-finish',
  rows: () => [
    {
      id: 'scale-finish',
      what: 'PostgreSQL: receive and finish, ordered / pg-boss key_strict_fifo',
      aim: { min: 2.5 },
    },
  ],
  async measure(bench) {
    if (bench.peersMissing !== undefined) throw new Error(bench.peersMissing);
    const { supervisor, plan, results } = bench;
    const postgres = await bench.postgres();
    const ours = finisher(
      await startPortaria(supervisor, { database: await postgres.database(), handlers: NOOP }),
    );
    const peer = await startPeer(supervisor, 'pg-boss', 'pg-boss-ordered.mjs', [await postgres.database()]);
    const pgBoss = { ...peer, progress: () => progressOf(peer) };
    await bench.warmUp(ours);
    await bench.warmUp(pgBoss);

    const [our, their] = [[], []];
    const options = { subjects: SUBJECTS, trials: plan.scaleTrials };
    for (let round = 0; round < plan.slowRounds; round += 1) {
      our.push(await steadyRate(bench, ours, options));
      their.push(await steadyRate(bench, pgBoss, options));
      if (our.at(-1) === 0 || their.at(-1) === 0)
        throw new Error('no rate was found at which the backlog is steady');
      results.add('scale-finish', our.at(-1) / their.at(-1));
    }
    results.note(
      'scale-finish',
      `Portaria keeps up with ${numberText(median(our))}/s, pg-boss with ${numberText(median(their))}/s, of ${numberText(SUBJECTS)} subjects`,
    );
    await Promise.all([ours.stop(), peer.stop()]);
  },
};

/**
 * @param {import('../../servers/start-peer.mjs').Server} server
 * @returns {Promise<import('../steady-rate.mjs').Progress>}
 */
async function progressOf({ url }) {
  return (await fetch(new URL('/progress', url))).json();
}
