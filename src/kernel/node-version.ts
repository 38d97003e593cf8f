/** The supported versions of Node.js. An older one loads this file, so it imports nothing. */

/** The oldest supported Node.js; `engines` in package.json says the same. */
export const OLDEST_NODE = '22.18.0';

/** Says in one sentence that Node.js is too old, with the remedy; null when it is recent enough. */
export function nodeProblem(version = process.versions.node): string | null {
  if (!isOlder(version, OLDEST_NODE)) return null;
  return `Portaria needs Node.js ${OLDEST_NODE} or later, and this is ${version} (${process.execPath}). Install a current one from https://nodejs.org, for a service at a path that its user can read; for yourself, \`nvm install 24\` does.`;
}

/**
 * Whether a version, for example `3.49.1`, comes before another. A missing part counts as 0. Compares numbers:
 * `localeCompare` would load collation tables, 6 ms in each thread.
 */
export function isOlder(version: string, wanted: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, required] of wanted.split('.').map(Number).entries()) {
    const part = parts[index] ?? 0;
    if (part !== required) return part < required;
  }
  return false;
}
