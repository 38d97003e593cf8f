#!/usr/bin/env node
/**
 * What is installed from elsewhere: every package has a licence that this
 * project may use, comes from the registry with its checksum, and runs nothing
 * when it is installed. Reads package.json, package-lock.json and node_modules;
 * the network it does not need.
 *
 * First a lock file is inspected in which every violation is planted, so that a
 * check that sees nothing is not taken for one that finds nothing.
 */
import { root } from './bootstrap/paths.mjs';
import { inPlantedProject } from './planted.mjs';
import { inspectLock } from './supply-chain/inspect-lock.mjs';
import { expected, planted } from './supply-chain/planted-lock.mjs';

/** A lock file that was not read, or not whole, has no violations either. */
const MIN_PACKAGES = 100;

const found = inPlantedProject(planted, inspectLock).violations.map(({ rule, where }) => `${rule}: ${where}`);
const missed = expected.filter((violation) => !found.includes(violation));
const invented = found.filter((violation) => !expected.includes(violation));
if (missed.length > 0) fail(`planted violations went unseen: ${missed.join('; ')}`);
if (invented.length > 0) fail(`what is planted as right was taken for wrong: ${invented.join('; ')}`);

const { violations, packages } = inspectLock(root);
for (const { rule, where, message } of violations) console.error(`${rule}: ${where} ${message}`);
if (violations.length > 0) fail(`${violations.length} violations; the rules are in scripts/supply-chain`);
if (packages < MIN_PACKAGES) fail(`only ${packages} packages were read`);
console.log(`supply chain: ${packages} packages, every licence allowed, every one from the registry`);

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(`supply chain: ${message}`);
  process.exit(1);
}
