import { numberText } from '../report/number-text.mjs';
import { median } from '../report/spread.mjs';
import { mainThreadTime } from '../servers/cpu-time.mjs';

/**
 * A server and its runs at maximum load.
 *
 * @typedef {object} Contestant
 * @property {string} id of the row; any for the first one
 * @property {import('../servers/start-peer.mjs').Server} server
 * @property {Run[]} runs
 *
 * @typedef {object} Run
 * @property {number} round
 * @property {number} connections
 * @property {number} perSecond
 * @property {number} p99 milliseconds
 * @property {number} mainThread microseconds of the main thread's processor time for each webhook
 */

/**
 * @param {string} id
 * @param {import('../servers/start-peer.mjs').Server} server
 * @returns {Contestant}
 */
export function contestant(id, server) {
  return { id, server, runs: [] };
}

/**
 * Loads the servers in turns, each at every number of connections, and adds the ratio of the first one's best rate
 * to that of each peer.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {Contestant} ours
 * @param {readonly Contestant[]} peers
 * @param {number} rounds
 */
export async function contest({ plan, loop, results }, ours, peers, rounds) {
  for (let round = 0; round < rounds; round += 1) {
    for (const connections of plan.connections) {
      for (const { server, runs } of [...peers, ours]) {
        const before = mainThreadTime(server.pid);
        const run = await loop.run({ url: server.url, connections, seconds: plan.seconds });
        const mainThread = (mainThreadTime(server.pid) - before) / run.requests;
        runs.push({ round, connections, perSecond: run.requests / run.seconds, p99: run.p99, mainThread });
      }
    }
    for (const peer of peers) results.add(peer.id, bestOf(ours, round) / bestOf(peer, round));
  }
  for (const peer of peers) results.note(peer.id, `${summary(ours, plan)}; ${summary(peer, plan)}`);
}

/**
 * @param {Contestant} contestant
 * @param {number} round
 */
function bestOf(contestant, round) {
  return bestRun(contestant, round).perSecond;
}

/**
 * @param {Contestant} contestant
 * @param {number} round
 */
export function bestRun({ runs }, round) {
  const [best, ...others] = runs.filter((run) => run.round === round);
  if (best === undefined) throw new Error(`round ${round} has no run`);
  return others.reduce((most, run) => (run.perSecond > most.perSecond ? run : most), best);
}

/**
 * @param {Contestant} contestant
 * @param {import('./plans.mjs').Plan} plan
 */
function summary({ server, runs }, { connections }) {
  const counts = connections.map((count) => {
    const there = runs.filter((run) => run.connections === count);
    const perSecond = numberText(median(there.map((run) => run.perSecond)));
    return `${perSecond}/s at ${count} (p99 ${numberText(median(there.map((run) => run.p99)))} ms)`;
  });
  return `${server.name} ${counts.join(', ')}`;
}
