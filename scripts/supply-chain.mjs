#!/usr/bin/env node
/**
 * Checks the installed packages: each has an allowed licence, comes from the registry
 * with a checksum, and runs no install script; and npm makes the bill of materials of
 * a release. Reads package.json, package-lock.json and node_modules; needs no network.
 *
 * A lock file with known violations is inspected first: a check that misses them
 * would also pass on this project.
 */
import { readFileSync } from 'node:fs';
import { packageJson, root } from './bootstrap/paths.mjs';
import { inViolationFixture } from './violation-fixture.mjs';
import { billOfMaterials } from './supply-chain/bill-of-materials.mjs';
import { inspectLock } from './supply-chain/inspect-lock.mjs';
import { expected, fixture } from './supply-chain/known-violations.mjs';

/** A lock file that was not read completely would have no violations either. */
const MIN_PACKAGES = 100;

const found = inViolationFixture(fixture, inspectLock).violations.map(
  ({ rule, where }) => `${rule}: ${where}`,
);
const missed = expected.filter((violation) => !found.includes(violation));
const falsePositives = found.filter((violation) => !expected.includes(violation));
if (missed.length > 0) fail(`known violations were not found: ${missed.join('; ')}`);
if (falsePositives.length > 0) fail(`valid entries were reported: ${falsePositives.join('; ')}`);

const { violations, packages } = inspectLock(root);
for (const { rule, where, message } of violations) console.error(`${rule}: ${where} ${message}`);
if (violations.length > 0) fail(`${violations.length} violations of the rules in scripts/supply-chain`);
if (packages < MIN_PACKAGES)
  fail(`only ${packages} packages were read, at least ${MIN_PACKAGES} are expected`);
const { components } = billOfMaterials(JSON.parse(readFileSync(packageJson, 'utf8')));
console.log(
  `supply chain: ${packages} packages, every licence is allowed, every package is from the registry; users get ${components.length} of them`,
);

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(`supply chain: ${message}`);
  process.exit(1);
}
