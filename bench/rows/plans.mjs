/**
 * How much is measured. Seconds are whole: wrk knows no others.
 *
 * @typedef {object} Plan
 * @property {string} name
 * @property {number} limitSeconds after which it ends, whatever is unfinished
 * @property {readonly number[]} connections the best of these counts
 * @property {number} warmUpSeconds of each server, under full load
 * @property {number} seconds of each run
 * @property {number} rounds alternated runs of each contestant
 * @property {number} latencyRounds the same of a second each, where latency is measured
 * @property {number} slowRounds the same, where a round takes long
 * @property {number} trials to find the highest load that is kept up with, in each round
 * @property {number} storedEvents "5 million"
 * @property {number} pendingDeliveries "1 million"
 * @property {number} replayEvents more than a thousand
 */

/** @type {Plan} */
export const fullPlan = {
  name: 'full',
  limitSeconds: 570,
  connections: [64, 256],
  warmUpSeconds: 3,
  seconds: 3,
  rounds: 7,
  latencyRounds: 21,
  slowRounds: 3,
  trials: 4,
  storedEvents: 5_000_000,
  pendingDeliveries: 1_000_000,
  replayEvents: 200_000,
};

/** @type {Plan} */
export const quickPlan = {
  name: 'quick',
  limitSeconds: 52,
  connections: [64],
  warmUpSeconds: 1,
  seconds: 1,
  rounds: 2,
  latencyRounds: 3,
  slowRounds: 1,
  trials: 2,
  storedEvents: 100_000,
  pendingDeliveries: 50_000,
  replayEvents: 20_000,
};
