/** A failure that the user can fix; the message says how. */
export class BootstrapFailure extends Error {}

/** @param {string} line */
export function say(line) {
  process.stderr.write(`[bootstrap] ${line}\n`);
}
