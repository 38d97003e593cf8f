import { z } from 'zod';
import { expected } from '../field/expected.ts';
import { object } from '../field/object.ts';
import { openSet } from '../field/open-set.ts';
import { personal } from '../field/personal.ts';
import { recordId, text } from '../field/scalars.ts';
import { cpf } from '../field/tax-id.ts';
import { timestamp } from '../field/timestamp.ts';

/** States of a licence, in Portuguese on the wire: valid, expired, suspended, cancelled. */
export const licenseStatuses = ['Válida', 'Expirada', 'Suspensa', 'Cancelada'] as const;

/**
 * A driver license, as the list shows it; the detail leaves out `created_at`
 * (specification, Resources, Driver license (CNH), list and detail).
 */
export const driverLicense = object({
  id: recordId.describe('Unique id of the licence, and of the driver who has it.'),
  license: personal(text).nullish().describe('Registration number.'),
  name: personal(text).nullish().describe('Name of the driver.'),
  tax_id: cpf.nullish().describe('CPF of the driver.'),
  points: z
    .number({ error: expected('a number') })
    .nullish()
    .describe('Points on the licence.'),
  status: openSet(licenseStatuses).nullish().describe('State of the licence.'),
  issue_date: timestamp.nullish().describe('Day of issue, as a date-time.'),
  expiration_date: timestamp.nullish().describe('Last day of validity, as a date-time.'),
  created_at: timestamp.nullish().describe('When the record was made.'),
}).meta({ title: 'Driver license' });
