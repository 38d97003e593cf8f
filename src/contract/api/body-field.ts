/** Schemas of fields in request bodies. */
import { isValidPhoneNumber } from 'libphonenumber-js/max';
import { z } from 'zod';
import { isValidCnpj, isValidCpf } from '../check-digits.ts';
import { expected } from '../field/expected.ts';
import { nonEmpty } from '../field/schemas.ts';

// Request bodies are checked more strictly than records: check digits included.

export const nonEmptyString = nonEmpty('a non-empty string');

/** A company's tax id without punctuation, with valid check digits. It may contain letters. */
export const validCnpj = z.string({ error: expected('a CNPJ') }).refine(isValidCnpj, {
  error: 'is not a valid CNPJ: 14 places without punctuation, check digits included',
});

/** A person's tax id, digits only, with valid check digits. */
export const validCpf = z
  .string({ error: expected('a CPF') })
  .refine(isValidCpf, { error: 'is not a valid CPF: 11 digits without punctuation, check digits included' });

export const emailAddress = z
  .string({ error: expected('an e-mail address') })
  .pipe(z.email({ error: 'is not a valid e-mail address' }));

/** A phone number in E.164 with its leading plus, in an existing numbering plan. */
export const phoneNumber = z
  .string({ error: expected('a phone number') })
  .refine(isPhone, { error: 'is not a valid phone number: write E.164 with a leading plus, +5511987654321' });

const BRAZIL = '+55';
const EITHER_FORM =
  'is not a valid phone number: write digits with the area code, 11987654321, or E.164 with a leading plus, +5511987654321';

/** A phone number in E.164, or a Brazilian one as digits with the area code. Kept as E.164: `+5511987654321`. */
export const userPhone = phoneIn((e164) => (isPhone(e164) ? e164 : null));

/** A Brazilian phone number, in E.164 or as digits with the area code. Kept as digits: `11987654321`. */
export const brazilianPhone = phoneIn((e164) =>
  e164.startsWith(BRAZIL) && isPhone(e164) ? e164.slice(BRAZIL.length) : null,
);

/** @param keep returns the form that is kept; null when the number is not valid */
function phoneIn(keep: (e164: string) => string | null) {
  return z.string({ error: expected('a phone number') }).transform((text, context): string => {
    const kept = keep(/^\d{10,11}$/.test(text) ? `${BRAZIL}${text}` : text);
    if (kept !== null) return kept;
    context.addIssue({ code: 'custom', message: EITHER_FORM });
    return z.NEVER;
  });
}

/** Whether `text` is a phone number in E.164 that its country's numbering plan has: `+5511987654321`. */
export function isPhone(text: string): boolean {
  return /^\+[1-9]\d{1,14}$/.test(text) && isValidPhoneNumber(text);
}

/** A body that must contain at least one of its fields. */
export function atLeastOneOf<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape).join(', ');
  return z
    .object(shape, { error: expected('an object') })
    .partial()
    .refine((fields) => Object.values(fields).some((value) => value !== undefined), {
      error: `give at least one of ${names}`,
    });
}
