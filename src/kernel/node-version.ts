import { PortariaError } from './errors.ts';
import { isOlder } from './is-older.ts';

/** The oldest Node.js that everything here runs on; package.json's `engines` say the same. */
export const OLDEST_NODE = '22.18.0';

/** What to do about a Node.js that is too old, in a sentence; null when it is not. */
export function nodeProblem(version = process.versions.node): string | null {
  if (!isOlder(version, OLDEST_NODE)) return null;
  return `Portaria needs Node.js ${OLDEST_NODE} or later, and this is ${version} (${process.execPath}). Install a current one from https://nodejs.org, or with \`nvm install 24\`.`;
}

/**
 * Refuses an older Node.js before a database is opened: the SQLite binding would end the process with a
 * segmentation fault.
 *
 * @throws PortariaError `misconfigured`.
 */
export function requireSupportedNode(version?: string): void {
  const problem = nodeProblem(version);
  if (problem !== null) throw new PortariaError('misconfigured', problem);
}
