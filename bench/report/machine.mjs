import { closeSync, fdatasyncSync, openSync, statfsSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem, type } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { median } from './spread.mjs';

const SYNCS = 100;

/** The type that `statfs` reports for a file system in memory, where fsync is free. */
const TMPFS = 0x01021994;

/**
 * Describes the machine of the measurement.
 *
 * @param {string} folder on the measured disk
 * @param {string} generator
 */
export function machineText(folder, generator) {
  const inMemory =
    statfsSync(folder).type === TMPFS ? ' (a file system in memory: nothing is durable there)' : '';
  return [
    `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()}`,
    `Node ${process.versions.node}, SQLite ${sqliteVersion()}`,
    `fsync of 4 KiB in ${folder}: ${fsyncMs(folder).toFixed(2)} ms (median of ${SYNCS})${inMemory}`,
    `load before the start: ${loadavg()[0]?.toFixed(2) ?? '?'}`,
    `load generator: ${generator}, in a process of its own on the same cores`,
  ].join('\n');
}

function sqliteVersion() {
  const database = new Database(':memory:');
  const version = database.prepare('select sqlite_version()').pluck().get();
  database.close();
  return String(version);
}

/** @param {string} folder */
function fsyncMs(folder) {
  const file = openSync(join(folder, 'sync-probe'), 'w');
  const page = Buffer.alloc(4_096, 1);
  const times = Array.from({ length: SYNCS }, () => {
    const startedAt = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  return median(times);
}
