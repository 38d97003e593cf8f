/** The record of a driver licence. */
import { boolean, number, object, openSet, personal, recordId, string } from '../field/schemas.ts';
import { cpf } from '../field/tax-id.ts';
import { date, timestamp } from '../field/time.ts';

/** The states of a licence, in Portuguese: valid, expired, suspended, canceled. */
export const licenseStatuses = ['Válida', 'Expirada', 'Suspensa', 'Cancelada'] as const;

/**
 * A driver license in the list; the detail has no `created_at` (specification, Resources, Driver license (CNH),
 * list and detail).
 */
export const driverLicense = object({
  id: recordId.describe('Unique id of the licence and of its driver.'),
  license: personal(string).nullish().describe('Registration number.'),
  name: personal(string).nullish().describe('Name of the driver.'),
  tax_id: cpf.nullish().describe('CPF of the driver.'),
  points: number.nullish().describe('Points on the licence.'),
  status: openSet(licenseStatuses).nullish().describe('State of the licence.'),
  issue_date: timestamp.nullish().describe('Day of issue, as a date-time.'),
  expiration_date: timestamp.nullish().describe('Last day of validity, as a date-time.'),
  created_at: timestamp.nullish().describe('When the record was made.'),
}).meta({ title: 'Driver license' });

/** A driver: some fields of the licence (specification, Resources, Driver). */
export const driver = object(driverLicense.omit({ points: true, status: true }).shape).meta({
  title: 'Driver',
});

const points = object({
  value: number.nullish().describe('Points on the licence.'),
  limit: number.nullish().describe('Points at which it is suspended.'),
  synced_at: timestamp.nullish().describe('When they were last read.'),
});

const image = personal(string).nullish();

const files = object({
  photo: image.describe('Data URL of the photo.'),
  front: image.describe('Data URL of the front.'),
  back: image.describe('Data URL of the back.'),
  qr_code: image.describe('Data URL of the QR code.'),
});

const owner = object({
  id: recordId.nullish().describe('Id of the individual user.'),
  external_uid: string.nullish().describe("The caller's own identifier of the user."),
});

/** The driver license of a user (specification, Resources, Driver license of a user). */
export const userDriverLicense = object({
  id: recordId.describe('Unique id of the licence.'),
  license: personal(string).nullish().describe('Registration number.'),
  name: personal(string).nullish().describe('Name of the driver.'),
  tax_id: cpf.nullish().describe('CPF of the driver.'),
  points: points.nullish().describe('Points and their limit.'),
  status: string.nullish().describe('State of the licence; the specification does not list the values.'),
  class: string.nullish().describe('Category, for example AB.'),
  current: boolean.nullish().describe('Whether the licence is in force.'),
  renach: personal(string).nullish().describe('Number in the national registry of drivers.'),
  commercial_driver: boolean.nullish().describe('Whether the driver may drive for pay.'),
  probationary_license: boolean.nullish().describe('Whether it is the licence of the first year.'),
  current_license_state: string.nullish().describe('Federative unit that holds it now, two letters.'),
  domain_license_state: string.nullish().describe('Federative unit of the domain, two letters.'),
  issuer_license_state: string.nullish().describe('Federative unit that issued it, two letters.'),
  issue_date: date.nullish().describe('Day of issue.'),
  expiration_date: date.nullish().describe('Last day of validity.'),
  first_license_date: date.nullish().describe('Day of the first licence.'),
  files: files.nullish().describe('Images of the licence.'),
  user: owner.nullish().describe('The user who has the licence.'),
  created_at: timestamp.nullish().describe('When the record was made.'),
}).meta({ title: 'Driver license of a user' });
