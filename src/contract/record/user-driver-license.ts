import { z } from 'zod';
import { date } from '../field/date.ts';
import { expected } from '../field/expected.ts';
import { object } from '../field/object.ts';
import { personal } from '../field/personal.ts';
import { recordId, text, truth } from '../field/scalars.ts';
import { cpf } from '../field/tax-id.ts';
import { timestamp } from '../field/timestamp.ts';

const count = z.number({ error: expected('a number') });

const points = object({
  value: count.nullish().describe('Points on the licence.'),
  limit: count.nullish().describe('Points at which it is suspended.'),
  synced_at: timestamp.nullish().describe('When they were last read.'),
});

const image = personal(text).nullish();

const files = object({
  photo: image.describe('Data URL of the photo.'),
  front: image.describe('Data URL of the front.'),
  back: image.describe('Data URL of the back.'),
  qr_code: image.describe('Data URL of the QR code.'),
});

const owner = object({
  id: recordId.nullish().describe('Id of the individual user.'),
  external_uid: text.nullish().describe("The caller's own identifier of the user."),
});

/** The driver license of a user (specification, Resources, Driver license of a user). */
export const userDriverLicense = object({
  id: recordId.describe('Unique id of the licence.'),
  license: personal(text).nullish().describe('Registration number.'),
  name: personal(text).nullish().describe('Name of the driver.'),
  tax_id: cpf.nullish().describe('CPF of the driver.'),
  points: points.nullish().describe('Points and their limit.'),
  status: text.nullish().describe('State of the licence; the specification does not list the values.'),
  class: text.nullish().describe('Category, such as AB.'),
  current: truth.nullish().describe('Whether it is the one in force.'),
  renach: personal(text).nullish().describe('Number in the national registry of drivers.'),
  commercial_driver: truth.nullish().describe('Whether the driver may drive for pay.'),
  probationary_license: truth.nullish().describe('Whether it is the licence of the first year.'),
  current_license_state: text.nullish().describe('Federative unit that holds it now, two letters.'),
  domain_license_state: text.nullish().describe('Federative unit of the domain, two letters.'),
  issuer_license_state: text.nullish().describe('Federative unit that issued it, two letters.'),
  issue_date: date.nullish().describe('Day of issue.'),
  expiration_date: date.nullish().describe('Last day of validity.'),
  first_license_date: date.nullish().describe('Day of the first licence.'),
  files: files.nullish().describe('Images of the licence.'),
  user: owner.nullish().describe('Whose it is.'),
  created_at: timestamp.nullish().describe('When the record was made.'),
}).meta({ title: 'Driver license of a user' });
