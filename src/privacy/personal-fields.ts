import type { Contract } from '../contract/contract.ts';
import type { JsonValue } from '../kernel/json/json.ts';

/** All that erasing asks of the contract. */
export interface PersonalFields {
  /**
   * Masks the personal values of a payload: what is masked is what is erased. Everything is personal in a
   * payload of an unrecognized kind.
   */
  mask(source: string | null, kind: string, data: JsonValue): JsonValue;
  /** Whether the contract declares the kind. */
  declares(source: string | null, kind: string): boolean;
  /** Whether a payload of the kind is valid. */
  accepts(source: string | null, kind: string, data: JsonValue): boolean;
}

/** The personal fields of the kinds that a contract knows. */
export function contractFields(contract: Contract): PersonalFields {
  // A body without a source is of the provider, whose kinds every source shares.
  const find = (source: string | null, kind: string) => contract.find(source ?? 'default', kind);
  return {
    mask: (source, kind, data) => contract.mask(source ?? 'default', kind, data),
    declares: (source, kind) => find(source, kind) !== undefined,
    accepts: (source, kind, data) => find(source, kind)?.isValid(data) ?? true,
  };
}
