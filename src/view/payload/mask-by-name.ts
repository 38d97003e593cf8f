/** Masks personal data in the states of machines. */
import type { Contract } from '../../contract/contract.ts';
import { maskAll } from '../../contract/personal-data.ts';
import type { JsonValue } from '../../kernel/json/json.ts';

/**
 * Masks a machine's state. Its shape is unknown, so fields are masked by name:
 * names that are personal data in a kind of the contract, in snake_case or
 * camelCase (`sign_url`, `signUrl`), with everything below them.
 */
export function maskByName(value: JsonValue, contract: Contract): JsonValue {
  return maskNames(value, new Set([...contract.personalNames].map(plainName)));
}

function maskNames(value: JsonValue, personal: ReadonlySet<string>): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => maskNames(item as JsonValue, personal));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, JsonValue]) => [
      name,
      personal.has(plainName(name)) ? maskAll(member) : maskNames(member, personal),
    ]),
  );
}

/** `sign_url`, `signUrl` and `signurl` are the same name. */
function plainName(name: string): string {
  return name.replaceAll(/\W|_/gu, '').toLowerCase();
}
