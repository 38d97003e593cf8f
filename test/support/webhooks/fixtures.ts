import { readdirSync, readFileSync } from 'node:fs';
import { eventKinds, type EventKind } from '../../../src/contract/catalogue.ts';
import type { JsonObject } from '../../../src/kernel/json/json.ts';

/** A webhook body, parsed. */
export interface Envelope {
  readonly type: string;
  readonly data: JsonObject;
}

const folder = new URL('../../../fixtures/', import.meta.url);

/** The sample envelope of a kind, parsed anew by each call. */
export function fixture(kind: EventKind): Envelope {
  return JSON.parse(readFileSync(new URL(`events/${kind}.json`, folder), 'utf8')) as Envelope;
}

/** The sample envelope of every kind, in the order of the contract. */
export function fixtures(): readonly (Envelope & { readonly type: EventKind })[] {
  return eventKinds.map((kind) => ({ ...fixture(kind), type: kind }));
}

/** The file names in a folder of fixtures. */
export function fixtureFiles(of: 'events' | 'scenarios'): readonly string[] {
  return readdirSync(new URL(`${of}/`, folder)).sort();
}

/** The names of the scenarios, without the shuffled variants. */
export function scenarioNames(): readonly string[] {
  return fixtureFiles('scenarios')
    .filter((file) => file.endsWith('.ndjson') && !file.endsWith('.shuffled.ndjson'))
    .map((file) => file.slice(0, -'.ndjson'.length));
}

/** The lines of a scenario, unparsed. */
export function scenarioLines(name: string): readonly string[] {
  return readFileSync(new URL(`scenarios/${name}.ndjson`, folder), 'utf8')
    .trimEnd()
    .split('\n');
}

/** The envelopes of a scenario; `<name>.shuffled` is its shuffled variant. */
export function scenario(name: string): readonly Envelope[] {
  return scenarioLines(name).map((line) => JSON.parse(line) as Envelope);
}
