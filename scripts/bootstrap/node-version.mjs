/** Compares versions of Node.js with what package.json allows. */
import { readFileSync } from 'node:fs';
import { packageJson } from './paths.mjs';

/** The oldest Node.js that package.json's `engines` allows, such as `22.18.0`. */
export function oldestNode() {
  return String(JSON.parse(readFileSync(packageJson, 'utf8')).engines.node).replace(/^>=/, '');
}

/**
 * Whether a version of Node.js is older than `engines` allows.
 *
 * @param {string} version
 * @param {string} wanted
 */
export function isTooOld(version = process.versions.node, wanted = oldestNode()) {
  const have = numbers(version);
  for (const [place, need] of numbers(wanted).entries()) {
    if (have[place] !== need) return (have[place] ?? 0) < need;
  }
  return false;
}

/** @param {string} version */
function numbers(version) {
  return version.split('.').map((part) => Number.parseInt(part, 10));
}
