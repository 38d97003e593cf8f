/** Finds the fields by which a record and an event differ. */
import { isSameValue } from '../contract/same-value.ts';
import { isJsonObject, type JsonValue } from '../kernel/json/json.ts';

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
export function differingFields(ours: JsonValue, theirs: JsonValue, path = ''): readonly FieldDifference[] {
  if (!isJsonObject(ours) || !isJsonObject(theirs))
    return isSameValue(ours, theirs) ? [] : [{ path, ours, theirs }];
  return Object.entries(ours).flatMap(([name, value]) =>
    Object.hasOwn(theirs, name)
      ? differingFields(value, theirs[name] ?? null, path === '' ? name : `${path}.${name}`)
      : [],
  );
}
