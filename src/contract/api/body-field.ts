import { z } from 'zod';
import { cnpjFits, cpfFits } from '../check-digits.ts';
import { expected } from '../field/expected.ts';
import { nonEmpty } from '../field/non-empty.ts';
import { isPhone } from './phone.ts';

/** What clients send is checked harder than what they receive: check digits and all. */

/** Text that says something. */
export const filledText = nonEmpty('a non-empty string');

/** A company's tax id with the right check digits, without punctuation, with or without letters. */
export const fittingCnpj = z
  .string({ error: expected('a CNPJ') })
  .refine(cnpjFits, { error: 'is not a valid CNPJ: 14 places without punctuation, check digits included' });

/** A person's tax id with the right check digits, digits only. */
export const fittingCpf = z
  .string({ error: expected('a CPF') })
  .refine(cpfFits, { error: 'is not a valid CPF: 11 digits without punctuation, check digits included' });

export const emailAddress = z
  .string({ error: expected('an e-mail address') })
  .pipe(z.email({ error: 'is not a valid e-mail address' }));

/** E.164 with its leading plus, of a numbering plan that exists. */
export const phoneNumber = z
  .string({ error: expected('a phone number') })
  .refine(isPhone, { error: 'is not a valid phone number: write E.164 with a leading plus, +5511987654321' });

/** A phone of Brazil: digits with the area code, without the country's. */
export const brazilianPhone = z
  .string({ error: expected('a phone number') })
  .refine((digits) => /^\d{10,11}$/.test(digits) && isPhone(`+55${digits}`), {
    error: 'is not a valid phone number: write digits with the area code, 11987654321',
  });

/** A body of which at least one field must be given. */
export function anyOf<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape).join(', ');
  return z
    .object(shape, { error: expected('an object') })
    .partial()
    .refine((fields) => Object.values(fields).some((value) => value !== undefined), {
      error: `give at least one of ${names}`,
    });
}
