/** The processor time of processes, from /proc: Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts the time of a process in ticks of 10 ms. */
const MICROSECONDS_PER_TICK = 10_000;

/**
 * Microseconds of processor time of all threads of a process so far.
 *
 * @param {number} pid
 */
export function processTime(pid) {
  return timesOf(pid).own;
}

/**
 * The same of a process and its children, living and ended: PostgreSQL has a process for each connection.
 *
 * @param {number} pid
 */
export function familyTime(pid) {
  const children = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && parentOf(Number(name)) === pid,
  );
  const { own, ended } = timesOf(pid);
  return children.reduce((sum, child) => sum + timesOf(Number(child)).own, own + ended);
}

/**
 * Microseconds of processor time of the main thread, where JavaScript runs; NaN without /proc.
 *
 * @param {number} [pid]
 */
export function mainThreadTime(pid = process.pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1000;
  } catch {
    return Number.NaN;
  }
}

/** @param {number} pid */
function timesOf(pid) {
  const fields = statistics(pid).slice(11, 15).map(Number);
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields;
  return {
    own: (user + system) * MICROSECONDS_PER_TICK,
    ended: (endedUser + endedSystem) * MICROSECONDS_PER_TICK,
  };
}

/** @param {number} pid */
function parentOf(pid) {
  return Number(statistics(pid)[1]);
}

/**
 * The fields after the name of the program; none of a process that has ended.
 *
 * @param {number} pid
 */
function statistics(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  } catch {
    return [];
  }
}
