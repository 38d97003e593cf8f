import { isValidPhoneNumber } from 'libphonenumber-js/min';
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

/** A Brazilian phone number: digits with the area code, without the country code. */
export const brazilianPhone = z
  .string({ error: expected('a phone number') })
  .refine((digits) => /^\d{10,11}$/.test(digits) && isPhone(`+55${digits}`), {
    error: 'is not a valid phone number: write digits with the area code, 11987654321',
  });

/** Whether `text` is a phone number in E.164 that a numbering plan allows: `+5511987654321`. */
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
