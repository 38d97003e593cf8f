import type { JsonObject, JsonValue } from '../kernel/json.ts';
import { catalogue, isEventKind } from './catalogue.ts';
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

/**
 * Whether every CNPJ and CPF in a payload has the right check digits. What is
 * absent or not text fits, and so does anything of an unrecognized kind: this
 * tells mistyped tax ids, not invalid payloads.
 */
export function checkDigitsFit(kind: string, data: JsonValue): boolean {
  return !isEventKind(kind) || fieldsFit(fieldsOf(catalogue[kind].schema), data);
}

function fieldsFit(fields: Fields, data: JsonValue): boolean {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return true;
  for (const field of fields.values()) {
    const value = (data as JsonObject)[field.name];
    if (value === undefined) continue;
    if (!fieldsFit(field.fields, value)) return false;
    if (typeof value !== 'string') continue;
    if (field.checkDigits === 'cnpj' && !cnpjFits(value)) return false;
    if (field.checkDigits === 'cpf' && !cpfFits(value)) return false;
  }
  return true;
}

function isRepeated(taxId: string): boolean {
  return taxId === (taxId[0] ?? '').repeat(taxId.length);
}

/** Weights are 2, 3, … from the right, and start over at 2 after `heaviest`. */
function endsInCheckDigits(taxId: string, heaviest: number): boolean {
  const first = checkDigit(taxId.slice(0, -2), heaviest);
  const second = checkDigit(taxId.slice(0, -1), heaviest);
  return taxId.endsWith(`${first}${second}`);
}

function checkDigit(payload: string, heaviest: number): number {
  let sum = 0;
  let weight = 2;
  for (let index = payload.length - 1; index >= 0; index -= 1) {
    sum += (payload.charCodeAt(index) - 48) * weight;
    weight = weight === heaviest ? 2 : weight + 1;
  }
  const rest = sum % 11;
  return rest < 2 ? 0 : 11 - rest;
}
