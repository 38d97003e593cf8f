/** Finds the fields by which a record and an event of its subject differ. */
import { contentDifferences } from '../contract/content-differences.ts';
import type { Contract } from '../contract/contract.ts';
import { memberAt, type JsonObject, type JsonValue } from '../kernel/json/json.ts';
import { parseJson } from '../kernel/json/parse-json.ts';
import { comparableOf } from './record-lists.ts';

/** A field that both have, with different values. */
export interface FieldDifference {
  /** Dotted, within the payload. */
  readonly path: string;
  readonly ours: JsonValue;
  readonly theirs: JsonValue;
}

/**
 * Returns the fields that both sides have and that differ. A field of one side alone says nothing: webhooks carry some
 * that responses lack (`company.tax_id`). Instants are equal in any notation.
 *
 * @param ours the payload of an event of the family
 * @param theirs a record of the family, or another such payload
 */
export function recordDifferences(
  family: string,
  ours: JsonObject,
  theirs: JsonObject,
): readonly FieldDifference[] {
  const comparable = comparableOf(family);
  const [stored, shown] = [comparable(ours), comparable(theirs)];
  return contentDifferences(stored, shown).flatMap((path) => {
    const [one, other] = [memberAt(stored, path), memberAt(shown, path)];
    return one === undefined || other === undefined
      ? []
      : [{ path: path.join('.'), ours: one, theirs: other }];
  });
}

/** The payload in the bytes of a stored body. */
export function payloadIn(
  { dataOf }: Pick<Contract, 'dataOf'>,
  source: string,
  body: Uint8Array,
): JsonValue | undefined {
  return dataOf(source, parseJson(Buffer.from(body).toString()));
}
