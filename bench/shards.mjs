#!/usr/bin/env node
/**
 * Shows how subjects spread over several databases, and what moves when one is added. Nothing is measured: the numbers
 * are the same on every machine.
 *
 *   node bench/shards.mjs [--subjects 200000] [--shards 1024]
 *
 * A subject belongs to a virtual shard, by a hash of its source, family and id. A virtual shard belongs to a database, by
 * rendezvous hashing (the highest random weight): each database gets a weight for the shard, and the highest wins. So a
 * database that is added takes its part from all others, and nothing moves between those.
 */
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    subjects: { type: 'string', default: '200000' },
    shards: { type: 'string', default: '1024' },
  },
});
const [subjectCount, shardCount] = [Number(options.subjects), Number(options.shards)];

/** Families of subjects, with their share and their events each. Most events are of few companies' vehicles. */
const FAMILIES = [
  { family: 'traffic-violation', share: 0.6, events: () => 3 },
  { family: 'vehicle', share: 0.2, events: (/** @type {number} */ at) => 1 + Math.floor(2_000 / (at + 10)) },
  { family: 'driver', share: 0.15, events: () => 2 },
  { family: 'company', share: 0.05, events: (/** @type {number} */ at) => 1 + Math.floor(20_000 / (at + 1)) },
];

const shards = spreadOverShards();
console.log(
  `${subjectCount.toLocaleString('en')} subjects with ${sum(shards, 'events').toLocaleString('en')} events in ${shardCount.toLocaleString('en')} virtual shards\n`,
);
console.log(
  '| databases | virtual shards each | subjects, most / mean | events, most / mean | moved by adding it |',
);
console.log(
  '| --------: | ------------------- | --------------------: | ------------------: | -----------------: |',
);
/** @type {readonly number[] | undefined} */
let before;
for (const databases of [2, 3, 4]) {
  const owners = shards.map((_, shard) => ownerOf(shard, databases));
  const each = Array.from({ length: databases }, (_, database) => ({
    shards: owners.filter((owner) => owner === database).length,
    subjects: sum(
      shards.filter((_, shard) => owners[shard] === database),
      'subjects',
    ),
    events: sum(
      shards.filter((_, shard) => owners[shard] === database),
      'events',
    ),
  }));
  const moved = before === undefined ? undefined : movedOf(before, owners, databases - 1);
  console.log(
    `| ${String(databases).padStart(9)} | ${each
      .map((one) => one.shards)
      .join(', ')
      .padEnd(
        19,
      )} | ${mostToMean(each, 'subjects').padStart(21)} | ${mostToMean(each, 'events').padStart(19)} | ${(moved ?? '').padStart(18)} |`,
  );
  before = owners;
}

function spreadOverShards() {
  const found = Array.from({ length: shardCount }, () => ({ subjects: 0, events: 0 }));
  for (const { family, share, events } of FAMILIES) {
    for (let at = 0; at < subjectCount * share; at += 1) {
      const shard = found[shardOf('provider', family, String(100_000 + at))];
      if (shard === undefined) throw new Error('a subject has no shard');
      shard.subjects += 1;
      shard.events += events(at);
    }
  }
  return found;
}

/**
 * The virtual shard of a subject, from the first six bytes of a digest.
 *
 * @param {readonly string[]} subject
 */
function shardOf(...subject) {
  return hash(JSON.stringify(subject)) % shardCount;
}

/**
 * The database of a virtual shard, by rendezvous hashing.
 *
 * @param {number} shard
 * @param {number} databases
 */
function ownerOf(shard, databases) {
  const weights = Array.from({ length: databases }, (_, database) => hash(`${shard} ${database}`));
  return weights.indexOf(Math.max(...weights));
}

/** @param {string} text */
function hash(text) {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6);
}

/**
 * @param {readonly number[]} old the owners before
 * @param {readonly number[]} owners
 * @param {number} added the database that was added
 */
function movedOf(old, owners, added) {
  const moved = owners.flatMap((owner, shard) => (owner === old[shard] ? [] : [shard]));
  if (moved.some((shard) => owners[shard] !== added)) throw new Error('a shard moved between old databases');
  const subjects = sum(
    moved.flatMap((shard) => shards[shard] ?? []),
    'subjects',
  );
  return `${((subjects / subjectCount) * 100).toFixed(1)} % of subjects`;
}

/**
 * @param {readonly { subjects: number, events: number }[]} each
 * @param {'subjects' | 'events'} name
 */
function mostToMean(each, name) {
  return (Math.max(...each.map((one) => one[name])) / (sum(each, name) / each.length)).toFixed(3);
}

/**
 * @param {readonly { subjects: number, events: number }[]} each
 * @param {'subjects' | 'events'} name
 */
function sum(each, name) {
  return each.reduce((total, one) => total + one[name], 0);
}
