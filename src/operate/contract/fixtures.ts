/** Samples of kinds, also for AsyncAPI, and the scenarios that the package ships. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isEventKind } from '../../contract/catalogue.ts';
import { providerEnvelope, type Contract, type SentMessage } from '../../contract/contract.ts';
import type { KindContract } from '../../contract/kind-contract.ts';
import { samplePayload } from '../../contract/sample-payload.ts';
import { PortariaError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json/json.ts';
import { packageRoot } from '../../kernel/files/package-files.ts';
import { asyncApiDocument } from '../../contract/asyncapi.ts';

const folder = (name: 'events' | 'scenarios') => join(packageRoot(), 'fixtures', name);

/** Reads the sample envelope of a kind that the package ships. */
export function readFixture(kind: string): Buffer {
  return readFileSync(join(folder('events'), `${kind}.json`));
}

/** Reads a scenario that the package ships: NDJSON, one envelope per line. */
export function readScenario(name: string): Buffer {
  return readFileSync(join(folder('scenarios'), `${name}.ndjson`));
}

export function scenarioNames(): readonly string[] {
  return readdirSync(folder('scenarios'))
    .filter((file) => file.endsWith('.ndjson'))
    .map((file) => file.slice(0, -'.ndjson'.length))
    .sort();
}

/**
 * Returns a sample of a kind as its sender would post it: the shipped one, or one of the kind's definition.
 *
 * @throws PortariaError `not-found` when there is none, with what to add.
 */
export function sampleMessage(contract: Contract, kind: KindContract): SentMessage {
  const data = samplePayload(kind, kind.source === null ? readShipped(kind.kind) : undefined);
  if (data === null)
    throw new PortariaError(
      'not-found',
      `There is no sample of ${kind.kind}, and none can be made from its schema: add example to its defineKind (${kind.origin}), or send a file`,
    );
  const envelope = kind.source === null ? providerEnvelope : contract.envelopeOf(kind.source);
  const message = envelope.write(kind.kind, data);
  if (message !== undefined) return message;
  throw new PortariaError(
    'not-found',
    `There is no sample of ${kind.kind}: functions read the envelope of ${String(kind.source)}, so send a file`,
  );
}

function readShipped(kind: string): JsonObject | undefined {
  if (!isEventKind(kind)) return undefined;
  return (JSON.parse(readFixture(kind).toString('utf8')) as { readonly data: JsonObject }).data;
}

/**
 * Returns the contract as an AsyncAPI document with a sample of each kind.
 *
 * @param version of the document: the package's version
 */
export function asyncApiWithSamples(contract: Contract, version: string): JsonObject {
  return asyncApiDocument(contract, {
    version,
    examples: (kind) => {
      const sample = sampleOrNull(contract, kind);
      return sample === null ? [] : [sample.body];
    },
  });
}

/** Returns a sample of a kind as its sender would post it; null when none can be made. */
export function sampleOrNull(contract: Contract, kind: KindContract): SentMessage | null {
  try {
    return sampleMessage(contract, kind);
  } catch (error) {
    if (PortariaError.is(error, 'not-found')) return null;
    throw error;
  }
}
