/** Adds samples of the kinds to the AsyncAPI document. */
import { asyncApiDocument } from '../../contract/asyncapi.ts';
import type { Contract } from '../../contract/contract.ts';
import type { KindContract } from '../../contract/kind-contract.ts';
import { PortariaError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json/json.ts';
import type { SentMessage } from '../../contract/contract.ts';
import { sampleMessage } from './fixtures.ts';

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
