/** Searches that must not take the square of their input's length. */
import { runInNewContext } from 'node:vm';

/** Only work that would go on for many minutes reaches it, even on a busy machine. */
const HANGS_MS = 120_000;

/**
 * Runs work on an input so long that a quadratic search would take many minutes, and fails instead of waiting for that.
 *
 * @throws Error `ERR_SCRIPT_EXECUTION_TIMEOUT`
 */
export function withoutHanging<T>(work: () => T): T {
  return runInNewContext('work()', { work }, { timeout: HANGS_MS }) as T;
}
