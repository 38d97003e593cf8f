import { catalogue, isEventKind } from '../contract/catalogue.ts';
import { maskPersonalData } from '../contract/personal-data.ts';
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

/** The personal fields of the shipped contract. */
export const contractFields: PersonalFields = {
  mask: (_source, kind, data) => maskPersonalData(kind, data),
  declares: (_source, kind) => isEventKind(kind),
  accepts: (_source, kind, data) => !isEventKind(kind) || catalogue[kind].schema.safeParse(data).success,
};
