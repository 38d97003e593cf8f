/** Something the reader can mend; its message says how. */
export class BootstrapFailure extends Error {}

/** @param {string} line */
export function say(line) {
  process.stderr.write(`[bootstrap] ${line}\n`);
}
