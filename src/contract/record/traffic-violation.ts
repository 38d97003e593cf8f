import { closedSet } from '../field/closed-set.ts';
import { date } from '../field/date.ts';
import { object } from '../field/object.ts';
import { openSet } from '../field/open-set.ts';
import { personal } from '../field/personal.ts';
import { degrees, reais, recordId, text, truth } from '../field/scalars.ts';
import { timestamp } from '../field/timestamp.ts';
import { companyReference } from './company-reference.ts';

const status = openSet(['citation', 'warning', 'pending', 'paid', 'overdue', 'canceled', 'suspended']);

const reference = object({
  legal_basis: text.nullish().describe('The article of the law.'),
  severity: openSet(['minor', 'medium', 'serious', 'very_serious']).nullish().describe('How grave.'),
  multiplier: text.nullish().describe('Factor of the fine, a number as text.'),
  points: text.nullish().describe('Points on the licence, a number as text.'),
});

const user = object({
  id: recordId.nullish().describe('Id of the individual user.'),
  external_uid: text.nullish().describe("The caller's own identifier of the user."),
});

const agency = object({
  code: text.nullish().describe('Code of the agency.'),
  name: text.nullish().describe('Name of the agency.'),
  sne_indications: truth.nullish().describe('Whether it accepts driver indications through the SNE.'),
  sne_tickets: truth.nullish().describe('Whether it issues slips through the SNE.'),
});

const discounts = object({
  full: truth.nullish().describe('Whether the discount of 40 % is open.'),
  partial: truth.nullish().describe('Whether the discount of 20 % is open.'),
  full_unavailable_reason: text.nullish().describe('Why the discount of 40 % is not.'),
  partial_unavailable_reason: text.nullish().describe('Why the discount of 20 % is not.'),
});

/**
 * A traffic violation (specification, Resources, Traffic violation). Nothing in
 * it orders its events: it carries no time of its last change.
 */
export const trafficViolation = object({
  id: recordId.describe('Unique id of the violation.'),
  ait: text.nullish().describe('Number of the traffic infraction notice.'),
  code: text.nullish().describe('Code of the infraction.'),
  breakdown: text.nullish().describe('Breakdown of the code.'),
  license_plate: text.nullish().describe('Plate of the vehicle.'),
  description: text.nullish().describe('What was found.'),
  status: status.describe('State of the violation.'),
  payable: truth.nullish().describe('Whether it is available for payment.'),
  written_warning: truth.nullish().describe('Whether it is a written warning.'),
  renainf: truth.nullish().describe('Whether it is in the national registry of infractions.'),
  offender_type: closedSet(['owner', 'shipper', 'driver']).nullish().describe('Who answers for it.'),
  amount: reais.nullish().describe('Amount of the fine, in reais.'),
  interest_amount: reais.nullish().describe('Interest, in reais.'),
  correction_amount: reais.nullish().describe('Monetary correction, in reais.'),
  updated_amount: reais.nullish().describe('Amount with interest and correction, in reais.'),
  amount_updated_at: timestamp.nullish().describe('When the updated amount was computed.'),
  date: timestamp.nullish().describe('When the infraction happened, a date-time.'),
  violation_notice_date: date.nullish().describe('Day of the violation notice.'),
  penalty_notice_date: date.nullish().describe('Day of the penalty notice.'),
  payment_date: date.nullish().describe('Day of the payment.'),
  due_date: date.nullish().describe('Last day to pay.'),
  indication_deadline: date.nullish().describe('Last day to indicate the driver.'),
  preliminary_appeal_deadline: date.nullish().describe('Last day of the prior defense.'),
  notice_appeal_deadline: date.nullish().describe('Last day to appeal against the notice.'),
  indication_availability: truth.nullish().describe('Whether a driver can be indicated.'),
  location: personal(text).nullish().describe('Where the infraction happened.'),
  city: text.nullish().describe('City of the infraction.'),
  state: text.nullish().describe('Federative unit of the infraction, two letters.'),
  latitude: personal(degrees).nullish().describe('Latitude of the infraction, in degrees.'),
  longitude: personal(degrees).nullish().describe('Longitude of the infraction, in degrees.'),
  reference: reference.nullish().describe('What the law says of the infraction.'),
  user: user.nullish().describe('The individual user it belongs to.'),
  company: companyReference.nullish().describe('The company it belongs to.'),
  agency: agency.nullish().describe('The agency that issued it.'),
  ticket_discount_availability: discounts.nullish().describe('Discounts that a slip can have.'),
}).meta({ title: 'Traffic violation' });
