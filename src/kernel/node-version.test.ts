import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isOlder, nodeProblem, OLDEST_NODE } from './node-version.ts';
import { packageRoot } from './files/package-files.ts';

const read = (file: string) => readFileSync(join(packageRoot(), file), 'utf8');

describe('OLDEST_NODE', () => {
  test('equals `engines` in package.json', () => {
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    expect(engines.node).toBe(`>=${OLDEST_NODE}`);
  });

  test('is the oldest of the versions that the tests run on', () => {
    const pins = JSON.parse(read('scripts/bootstrap/node-packages.json')) as Record<
      string,
      { versions: Record<string, string> }
    >;
    const versions = Object.values(pins).flatMap((pin) => Object.keys(pin.versions));
    expect(Object.keys(pins['linux-x64']?.versions ?? {})).toContain(OLDEST_NODE);
    expect(versions.filter((version) => nodeProblem(version) !== null)).toEqual([]);
  });

  test('is not newer than the version in .nvmrc', () => {
    const majorOf = (version: string) => Number(version.trim().split('.')[0]);
    expect(majorOf(read('.nvmrc'))).toBeGreaterThanOrEqual(majorOf(OLDEST_NODE));
  });
});

test.each(['18.20.8', '20.20.2', '22.17.1', '0'])('rejects Node.js %s, with the remedy', (version) => {
  expect(nodeProblem(version)).toMatch(`needs Node.js ${OLDEST_NODE} or later, and this is ${version}`);
});

test.each([OLDEST_NODE, '22.18.1', '24.0.0', '26.10.0'])('accepts Node.js %s', (version) => {
  expect(nodeProblem(version)).toBeNull();
});

test.each([
  ['3.9.0', '3.49.1', true],
  ['3.49.1', '3.49.1', false],
  ['3.49', '3.49.1', true],
  ['4', '3.49.1', false],
])('isOlder compares %s with %s by numbers: %s', (version, wanted, older) => {
  expect(isOlder(version, wanted)).toBe(older);
});
