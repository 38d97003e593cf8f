/** Check digits of CPFs and CNPJs: computing, checking, and finding the fields that have some. */
import type { JsonObject, JsonValue } from '../kernel/json/json.ts';
import type { Fields } from './fields.ts';

/**
 * Whether a CNPJ has valid check digits, by the rule of IN RFB 2.229/2024: the value of a character is its ASCII
 * code minus 48, which includes CNPJs of digits only. Repeated digits (`00000000000000`) are never issued, so
 * they are invalid.
 */
export function isValidCnpj(cnpj: string): boolean {
  return /^[0-9A-Z]{12}[0-9]{2}$/.test(cnpj) && !isRepeated(cnpj) && endsInCheckDigits(cnpj, 9);
}

/** Whether a CPF has valid check digits. Repeated digits are never issued, so they are invalid. */
export function isValidCpf(cpf: string): boolean {
  // The weights of eleven digits never wrap.
  return /^[0-9]{11}$/.test(cpf) && !isRepeated(cpf) && endsInCheckDigits(cpf, Infinity);
}

/** Appends the check digits to a CNPJ's first twelve digits or capital letters. */
export function withCnpjDigits(root: string): string {
  return withCheckDigits(root, 9);
}

/** Appends the check digits to a CPF's first nine digits. */
export function withCpfDigits(root: string): string {
  return withCheckDigits(root, Infinity);
}

/** A field that holds a tax id. */
export interface TaxId {
  /** The path within `data`. */
  readonly path: readonly string[];
  readonly isValid: (taxId: string) => boolean;
}

/** Lists the fields that hold a tax id. A schema may contain itself: it is searched once on each way down. */
export function taxIdsOf(
  fields: Fields,
  parent: readonly string[] = [],
  ancestors: ReadonlySet<Fields> = new Set(),
): readonly TaxId[] {
  if (ancestors.has(fields)) return [];
  const within = new Set(ancestors).add(fields);
  return [...fields.values()].flatMap(({ name, checkDigits, fields: inner }) => {
    const path = [...parent, name];
    if (checkDigits === null) return taxIdsOf(inner, path, within);
    return [{ path, isValid: checkDigits === 'cnpj' ? isValidCnpj : isValidCpf }];
  });
}

/**
 * Whether the CNPJs and CPFs of a payload have valid check digits. This detects mistyped tax ids, not invalid
 * payloads: absent values and values that are not strings pass.
 */
export function haveValidCheckDigits(taxIds: readonly TaxId[], data: JsonValue): boolean {
  for (const { path, isValid } of taxIds) {
    const value = valueAt(data, path);
    if (typeof value === 'string' && !isValid(value)) return false;
  }
  return true;
}

function valueAt(data: JsonValue, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = data;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as JsonObject)[name];
  }
  return value;
}

function isRepeated(taxId: string): boolean {
  for (let index = 1; index < taxId.length; index += 1) if (taxId[index] !== taxId[0]) return false;
  return true;
}

/** The weights are 2, 3, … from the right, and wrap to 2 after `maxWeight`. */
function endsInCheckDigits(taxId: string, maxWeight: number): boolean {
  const { length } = taxId;
  return (
    valueOf(taxId, length - 2) === checkDigit(taxId, length - 2, maxWeight) &&
    valueOf(taxId, length - 1) === checkDigit(taxId, length - 1, maxWeight)
  );
}

function withCheckDigits(root: string, maxWeight: number): string {
  const first = `${root}${String(checkDigit(root, root.length, maxWeight))}`;
  return `${first}${String(checkDigit(first, first.length, maxWeight))}`;
}

/** Computes the check digit that follows the first `length` characters. */
function checkDigit(taxId: string, length: number, maxWeight: number): number {
  let sum = 0;
  let weight = 2;
  for (let index = length - 1; index >= 0; index -= 1) {
    sum += valueOf(taxId, index) * weight;
    weight = weight === maxWeight ? 2 : weight + 1;
  }
  const rest = sum % 11;
  return rest < 2 ? 0 : 11 - rest;
}

function valueOf(taxId: string, index: number): number {
  return taxId.charCodeAt(index) - 48;
}
