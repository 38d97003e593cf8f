import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../kernel/files/package-files.ts';

const folder = (name: 'events' | 'scenarios') => join(packageRoot(), 'fixtures', name);

/** The shipped envelope of a kind, as bytes. */
export function readFixture(kind: string): Buffer {
  return readFileSync(join(folder('events'), `${kind}.json`));
}

/** The shipped scenario of this name: an envelope a line. */
export function readScenario(name: string): Buffer {
  return readFileSync(join(folder('scenarios'), `${name}.ndjson`));
}

export function scenarioNames(): readonly string[] {
  return readdirSync(folder('scenarios'))
    .filter((file) => file.endsWith('.ndjson'))
    .map((file) => file.slice(0, -'.ndjson'.length))
    .sort();
}
