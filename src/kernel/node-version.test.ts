import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PortariaError } from './errors.ts';
import { nodeProblem, OLDEST_NODE, requireSupportedNode } from './node-version.ts';
import { packageRoot } from './files/package-root.ts';

const read = (file: string) => readFileSync(join(packageRoot(), file), 'utf8');

describe('the oldest Node.js', () => {
  test('is the one that package.json asks for', () => {
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    expect(engines.node).toBe(`>=${OLDEST_NODE}`);
  });

  test('is among the versions that the tests run on, and none of those is older', () => {
    const pins = JSON.parse(read('scripts/bootstrap/node-packages.json')) as Record<
      string,
      { versions: Record<string, string> }
    >;
    const versions = Object.values(pins).flatMap((pin) => Object.keys(pin.versions));
    expect(Object.keys(pins['linux-x64']?.versions ?? {})).toContain(OLDEST_NODE);
    expect(versions.filter((version) => nodeProblem(version) !== null)).toEqual([]);
  });

  test('is recommended by .nvmrc, or a newer one', () => {
    const majorOf = (version: string) => Number(version.trim().split('.')[0]);
    expect(majorOf(read('.nvmrc'))).toBeGreaterThanOrEqual(majorOf(OLDEST_NODE));
  });
});

test.each(['18.20.8', '20.20.2', '22.17.1', '0'])('Node.js %s is refused, with what to do', (version) => {
  expect(nodeProblem(version)).toMatch(`needs Node.js ${OLDEST_NODE} or later, and this is ${version}`);
  expect(() => requireSupportedNode(version)).toThrow(PortariaError);
});

test.each([OLDEST_NODE, '22.18.1', '24.0.0', '26.10.0'])('Node.js %s is recent enough', (version) => {
  expect(nodeProblem(version)).toBeNull();
  expect(() => requireSupportedNode(version)).not.toThrow();
});
