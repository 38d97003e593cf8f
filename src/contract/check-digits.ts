import type { JsonObject, JsonValue } from '../kernel/json/json.ts';
import { catalogue, isEventKind, type EventKind } from './catalogue.ts';
import { fieldsOf, type Fields } from './fields.ts';

/**
 * Whether the last two digits of a CNPJ follow from the rest, by the rule of
 * IN RFB 2.229/2024: each character counts its ASCII code less 48, so the rule
 * of digits-only CNPJs is a special case. Repdigits (`00000000000000`), which
 * are never issued, do not fit.
 */
export function cnpjFits(cnpj: string): boolean {
  return /^[0-9A-Z]{12}[0-9]{2}$/.test(cnpj) && !isRepeated(cnpj) && endsInCheckDigits(cnpj, 9);
}

/** Whether the last two digits of a CPF follow from the rest. Repdigits, never issued, do not fit. */
export function cpfFits(cpf: string): boolean {
  // Weights never start over in eleven digits.
  return /^[0-9]{11}$/.test(cpf) && !isRepeated(cpf) && endsInCheckDigits(cpf, Infinity);
}

/** @param root twelve digits or capital letters. @returns them with their check digits. */
export function withCnpjDigits(root: string): string {
  return withCheckDigits(root, 9);
}

/** @param root nine digits. @returns them with their check digits. */
export function withCpfDigits(root: string): string {
  return withCheckDigits(root, Infinity);
}

/**
 * Whether every CNPJ and CPF in a payload has the right check digits. What is
 * absent or not text fits, and so does anything of an unrecognized kind: this
 * tells mistyped tax ids, not invalid payloads.
 */
export function checkDigitsFit(kind: string, data: JsonValue): boolean {
  if (!isEventKind(kind)) return true;
  for (const { path, fits } of taxIdsOf(kind)) {
    const value = valueAt(data, path);
    if (typeof value === 'string' && !fits(value)) return false;
  }
  return true;
}

/** A field that holds a tax id. */
interface TaxId {
  /** Within `data`. */
  readonly path: readonly string[];
  readonly fits: (taxId: string) => boolean;
}

const known = new Map<EventKind, readonly TaxId[]>();

function taxIdsOf(kind: EventKind): readonly TaxId[] {
  let taxIds = known.get(kind);
  if (taxIds === undefined) {
    taxIds = taxIdsAmong(fieldsOf(catalogue[kind].schema), []);
    known.set(kind, taxIds);
  }
  return taxIds;
}

function taxIdsAmong(fields: Fields, parent: readonly string[]): readonly TaxId[] {
  return [...fields.values()].flatMap(({ name, checkDigits, fields: inner }) => {
    const path = [...parent, name];
    if (checkDigits === null) return taxIdsAmong(inner, path);
    return [{ path, fits: checkDigits === 'cnpj' ? cnpjFits : cpfFits }];
  });
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

/** Weights are 2, 3, … from the right, and start over at 2 after `heaviest`. */
function endsInCheckDigits(taxId: string, heaviest: number): boolean {
  const { length } = taxId;
  return (
    valueOf(taxId, length - 2) === checkDigit(taxId, length - 2, heaviest) &&
    valueOf(taxId, length - 1) === checkDigit(taxId, length - 1, heaviest)
  );
}

function withCheckDigits(root: string, heaviest: number): string {
  const first = `${root}${String(checkDigit(root, root.length, heaviest))}`;
  return `${first}${String(checkDigit(first, first.length, heaviest))}`;
}

/** The one that belongs behind the first `length` characters. */
function checkDigit(taxId: string, length: number, heaviest: number): number {
  let sum = 0;
  let weight = 2;
  for (let index = length - 1; index >= 0; index -= 1) {
    sum += valueOf(taxId, index) * weight;
    weight = weight === heaviest ? 2 : weight + 1;
  }
  const rest = sum % 11;
  return rest < 2 ? 0 : 11 - rest;
}

function valueOf(taxId: string, index: number): number {
  return taxId.charCodeAt(index) - 48;
}
