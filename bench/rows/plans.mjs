/**
 * The extent of a benchmark. Seconds are integers, as wrk requires.
 *
 * @typedef {object} Plan
 * @property {string} name
 * @property {number} limitSeconds time limit, after which unfinished rows are skipped
 * @property {readonly number[]} connections the best of these is used
 * @property {number} warmUpSeconds of each server, under full load
 * @property {number} seconds of each run
 * @property {number} rounds alternated runs of each program
 * @property {number} latencyRounds the same for latency, a second each
 * @property {number} slowRounds the same for rows with long rounds
 * @property {number} trials to find the highest steady load, in each round
 * @property {number} storedEvents "5 million"
 * @property {number} pendingDeliveries "1 million"
 * @property {number} replayEvents more than a thousand
 * @property {number} scaleRounds as `rounds`, on PostgreSQL
 * @property {number} scaleLatencyRounds as `latencyRounds`, on PostgreSQL
 * @property {number} scaleTrials as `trials`, on PostgreSQL
 * @property {number} blockedRounds rounds beside blocked lanes and without
 * @property {number} takeOverRounds receivers that are killed
 * @property {number} engineEvents of each run of an engine
 */

/** @type {Plan} */
export const fullPlan = {
  name: 'full',
  limitSeconds: 1_140,
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
  scaleRounds: 3,
  scaleLatencyRounds: 31,
  scaleTrials: 4,
  blockedRounds: 7,
  takeOverRounds: 2,
  engineEvents: 20_000,
};

/** @type {Plan} */
export const quickPlan = {
  name: 'quick',
  limitSeconds: 110,
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
  scaleRounds: 1,
  scaleLatencyRounds: 1,
  scaleTrials: 2,
  blockedRounds: 1,
  takeOverRounds: 1,
  engineEvents: 5_000,
};
