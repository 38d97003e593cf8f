import { readFileSync } from 'node:fs';
import { packageJson } from './paths.mjs';

/** A sentence when this Node is older than package.json's `engines` asks for, else null. */
export function unsupportedNode(version = process.versions.node) {
  const wanted = String(JSON.parse(readFileSync(packageJson, 'utf8')).engines.node).replace(/^>=/, '');
  if (!isOlder(version, wanted)) return null;
  return `Node.js ${wanted} or newer is needed, and this is ${version} (${process.execPath}). Install one from https://nodejs.org or with a version manager, for example \`nvm install 22\`.`;
}

/**
 * @param {string} version
 * @param {string} wanted
 */
function isOlder(version, wanted) {
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
