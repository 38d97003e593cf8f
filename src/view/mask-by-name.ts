import { eventKinds } from '../contract/catalogue.ts';
import { maskPersonalData, personalDataPaths } from '../contract/personal-data.ts';
import type { JsonValue } from '../kernel/json/json.ts';

/**
 * Masks a machine's state. Its shape is unknown, so fields are masked by name:
 * names that are personal data in a kind of the contract, in snake_case or
 * camelCase (`sign_url`, `signUrl`), with everything below them.
 */
export function maskByName(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => maskByName(item as JsonValue));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, JsonValue]) => [
      name,
      personalNames.has(plainName(name)) ? maskAll(member) : maskByName(member),
    ]),
  );
}

const personalNames: ReadonlySet<string> = new Set(
  eventKinds.flatMap(personalDataPaths).flatMap((path) => {
    const name = path.split('.').findLast((part) => /\w/u.test(part));
    return name === undefined ? [] : [plainName(name)];
  }),
);

/** `sign_url`, `signUrl` and `signurl` are the same name. */
function plainName(name: string): string {
  return name.replaceAll(/\W|_/gu, '').toLowerCase();
}

/** Masks all strings, as for unknown kinds. */
function maskAll(value: JsonValue): JsonValue {
  return maskPersonalData('', value);
}
