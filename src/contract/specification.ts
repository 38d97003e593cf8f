/** The contract without custom kinds, and the personal data in it. */
import type { JsonValue } from '../kernel/json/json.ts';
import { catalogue, type EventKind } from './catalogue.ts';
import { createContract, type Contract } from './contract.ts';
import { zodKind, type KindContract } from './kind-contract.ts';
import { maskAll } from './personal-data.ts';
import { versionRules } from './version-rules.ts';

/** The contract of the specification alone, without custom kinds. */
export const specification: Contract = createContract(Object.values(catalogue).map(kindOf));

function kindOf(entry: (typeof catalogue)[EventKind]): KindContract {
  const { kind, family } = entry;
  return zodKind({
    ...entry,
    source: null,
    origin: 'specification',
    definitions: [],
    personal: [],
    example: null,
    subjectId: ({ id }) => (typeof id === 'string' || typeof id === 'number' ? id : undefined),
    version: (data) => versionRules[family](kind, data),
  });
}

/** A source without kinds of its own, for questions about the specification's kinds. */
const ANY = 'default';

/**
 * Lists the personal data in payloads of a kind of the specification, as dotted paths within `data`: `tax_id`,
 * `company.tax_id`, `vars` (with everything in it). Empty for any other kind: treat its whole payload as personal.
 */
export function personalDataPaths(kind: string): readonly string[] {
  return specification.find(ANY, kind)?.personalPaths ?? [];
}

/**
 * Masks the personal data in a payload of a kind of the specification. In the payload of any other kind all
 * strings and numbers are masked.
 */
export function maskPersonalData(kind: string, data: JsonValue): JsonValue {
  return specification.find(ANY, kind)?.mask(data) ?? maskAll(data);
}
