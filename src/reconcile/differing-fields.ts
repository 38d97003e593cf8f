/** Finds the fields by which a record and an event differ. */
import { contentDifferences } from '../contract/content-differences.ts';
import { memberAt, type JsonObject, type JsonValue } from '../kernel/json/json.ts';

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
 */
export function differingFields(ours: JsonObject, theirs: JsonObject): readonly FieldDifference[] {
  return contentDifferences(ours, theirs).flatMap((path) => {
    const [one, other] = [memberAt(ours, path), memberAt(theirs, path)];
    return one === undefined || other === undefined
      ? []
      : [{ path: path.join('.'), ours: one, theirs: other }];
  });
}
