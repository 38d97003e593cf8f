/** Tax ids with check digits: CNPJ and CPF. */
import { z } from 'zod';
import { expected, expectedAmong } from './expected.ts';
import { personal } from './schemas.ts';

/** The JSON Schema keyword that names the check digits of a field. */
export const CHECK_DIGITS = 'x-check-digits';

const CNPJ = 'a CNPJ (12 digits or capital letters, then 2 digits)';
const CPF = 'a CPF (11 digits)';

/**
 * A company's tax id. The specification says 14 digits (Conventions 8); registrations since July 2026 have
 * capital letters in the first twelve places (IN RFB 2.229/2024). Wrong check digits are flagged, not rejected.
 *
 * Personal data: the CNPJ of a sole trader identifies a person.
 */
export const cnpj = personal(
  z
    .string({ error: expected(CNPJ) })
    .regex(/^[0-9A-Z]{12}[0-9]{2}$/, { error: expectedAmong(CNPJ, 'string') })
    .meta({ [CHECK_DIGITS]: 'cnpj' }),
);

/** A person's tax id, 11 digits (specification, Conventions 8). Wrong check digits are flagged, not rejected. */
export const cpf = personal(
  z
    .string({ error: expected(CPF) })
    .regex(/^[0-9]{11}$/, { error: expectedAmong(CPF, 'string') })
    .meta({ [CHECK_DIGITS]: 'cpf' }),
);
