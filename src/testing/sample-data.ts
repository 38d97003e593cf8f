/** Sample data of kinds, for tests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventKinds, isEventKind, type DataOf, type EventKind } from '../contract/catalogue.ts';
import type { KindContract } from '../contract/kind-contract.ts';
import { samplePayload } from '../contract/sample-payload.ts';
import { extendContract } from '../handle/kinds/extend-contract.ts';
import type { KindDefinition } from '../handle/kinds/kind-definition.ts';
import type { Contract } from '../contract/contract.ts';
import type { JsonObject } from '../kernel/json/json.ts';
import { suggest } from '../kernel/text/suggest.ts';
import { packageRoot } from '../kernel/files/package-files.ts';

/**
 * Returns sample data of a kind: it matches the contract, has every documented field, and is invented. For the
 * result of `defineKind` it is the definition's `example`, or made from its schema.
 *
 * @throws TypeError when no sample can be made of a definition: give it an `example`.
 */
export function sampleData<K extends EventKind>(kind: K): DataOf<K>;
export function sampleData<Kind extends string, Data>(kind: KindDefinition<Kind, Data>): Data;
export function sampleData(kind: EventKind | KindDefinition): unknown {
  if (typeof kind === 'string') return shippedData(kind);
  const contract = contractWith(kind);
  const data = samplePayload(
    contract.find('default', kind.kind) as KindContract,
    isEventKind(kind.kind) ? shippedData(kind.kind) : undefined,
  );
  if (data === null)
    throw new TypeError(
      `no sample of ${kind.kind} can be made from its schema: add example to its defineKind`,
    );
  return data;
}

/** The contract of the specification with one custom or changed kind. */
export function contractWith(definition: KindDefinition): Contract {
  return extendContract({ kinds: [{ definition, file: 'the test' }], sources: [] });
}

function shippedData(kind: EventKind): JsonObject {
  if (!isEventKind(kind)) {
    const meant = suggest(kind, eventKinds);
    throw new TypeError(
      `the contract has no kind ${JSON.stringify(kind)}${meant === undefined ? ': name one of the contract, or use defineKind' : `: did you mean ${meant}?`}`,
    );
  }
  const file = join(packageRoot(), 'fixtures', 'events', `${kind}.json`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly data: JsonObject }).data;
}
