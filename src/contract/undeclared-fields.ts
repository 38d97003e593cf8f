import type { JsonValue } from '../kernel/json/json.ts';

/**
 * Returns the payload of an event with every field that was sent, declared or not. The types of payloads have
 * the declared fields only, so that a misspelled name does not compile; a field that the contract does not know
 * yet is read by `undeclaredFields(event.data)['archived_reason']`.
 *
 * Nothing has checked an undeclared field: its value may be anything that JSON can hold.
 */
export function undeclaredFields(data: object): Readonly<Record<string, JsonValue | undefined>> {
  return data as Readonly<Record<string, JsonValue | undefined>>;
}
