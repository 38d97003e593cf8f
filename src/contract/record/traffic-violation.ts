/** Schemas of traffic violations and their payment slips. */
import {
  boolean,
  degrees,
  exampleSet,
  object,
  openSet,
  personal,
  reais,
  recordId,
  string,
} from '../field/schemas.ts';
import { date, timestamp } from '../field/time.ts';
import { companyReference } from './company.ts';
import { paymentMethod, slipStatus } from './payment-slip.ts';

const status = openSet(['citation', 'warning', 'pending', 'paid', 'overdue', 'canceled', 'suspended']);

const reference = object({
  legal_basis: string.nullish().describe('The article of the law.'),
  severity: exampleSet(['minor', 'medium', 'serious', 'very_serious']).nullish().describe('Severity.'),
  multiplier: string.nullish().describe('Factor of the fine, a number as a string.'),
  points: string.nullish().describe('Points on the licence, a number as a string.'),
});

const user = object({
  id: recordId.nullish().describe('Id of the individual user.'),
  external_uid: string.nullish().describe("The caller's own identifier of the user."),
});

const agency = object({
  code: string.nullish().describe('Code of the agency.'),
  name: string.nullish().describe('Name of the agency.'),
  sne_indications: boolean.nullish().describe('Whether it accepts driver indications through the SNE.'),
  sne_tickets: boolean.nullish().describe('Whether it issues slips through the SNE.'),
});

const discounts = object({
  full: boolean.nullish().describe('Whether the discount of 40 % is available.'),
  partial: boolean.nullish().describe('Whether the discount of 20 % is available.'),
  full_unavailable_reason: string.nullish().describe('Why the discount of 40 % is not available.'),
  partial_unavailable_reason: string.nullish().describe('Why the discount of 20 % is not available.'),
});

/**
 * A traffic violation (specification, Resources, Traffic violation). It has no time of its last change to order
 * its events.
 */
export const trafficViolation = object({
  id: recordId.describe('Unique id of the violation.'),
  ait: string.nullish().describe('Number of the traffic infraction notice.'),
  code: string.nullish().describe('Code of the infraction.'),
  breakdown: string.nullish().describe('Breakdown of the code.'),
  license_plate: string.nullish().describe('Plate of the vehicle.'),
  description: string.nullish().describe('Description of the infraction.'),
  status: status.describe('State of the violation.'),
  payable: boolean.nullish().describe('Whether it is available for payment.'),
  written_warning: boolean.nullish().describe('Whether it is a written warning.'),
  renainf: boolean.nullish().describe('Whether it is in the national registry of infractions.'),
  offender_type: openSet(['owner', 'shipper', 'driver']).nullish().describe('The responsible party.'),
  amount: reais.nullish().describe('Amount of the fine, in reais.'),
  interest_amount: reais.nullish().describe('Interest, in reais.'),
  correction_amount: reais.nullish().describe('Monetary correction, in reais.'),
  updated_amount: reais.nullish().describe('Amount with interest and correction, in reais.'),
  amount_updated_at: timestamp.nullish().describe('When the updated amount was computed.'),
  date: timestamp.nullish().describe('Time of the infraction, a date-time.'),
  violation_notice_date: date.nullish().describe('Day of the violation notice.'),
  penalty_notice_date: date.nullish().describe('Day of the penalty notice.'),
  payment_date: date.nullish().describe('Day of the payment.'),
  due_date: date.nullish().describe('Last day to pay.'),
  indication_deadline: date.nullish().describe('Last day to indicate the driver.'),
  preliminary_appeal_deadline: date.nullish().describe('Last day of the prior defense.'),
  notice_appeal_deadline: date.nullish().describe('Last day to appeal against the notice.'),
  indication_availability: boolean.nullish().describe('Whether a driver can be indicated.'),
  location: personal(string).nullish().describe('Place of the infraction.'),
  city: string.nullish().describe('City of the infraction.'),
  state: string.nullish().describe('Federative unit of the infraction, two letters.'),
  latitude: personal(degrees).nullish().describe('Latitude of the infraction, in degrees.'),
  longitude: personal(degrees).nullish().describe('Longitude of the infraction, in degrees.'),
  reference: reference.nullish().describe('The infraction in the law.'),
  user: user.nullish().describe('The individual user it belongs to.'),
  company: companyReference.nullish().describe('The company it belongs to.'),
  agency: agency.nullish().describe('The agency that issued it.'),
  ticket_discount_availability: discounts.nullish().describe('Discounts that a slip can have.'),
}).meta({ title: 'Traffic violation' });

const violationReference = object({
  id: recordId.nullish().describe('Id of the violation.'),
  ait: string.nullish().describe('Number of the traffic infraction notice.'),
  code: string.nullish().describe('Code of the infraction.'),
  description: string.nullish().describe('Description of the infraction.'),
});

/**
 * A payment slip of a traffic violation (specification, Resources, Traffic violation payment slip). Unlike other
 * slips it has no reason of a rejection.
 */
export const trafficViolationTicket = object({
  id: recordId.describe('Unique id of the slip.'),
  status: openSet(slipStatus).describe('State of the request for the slip.'),
  discount: openSet(['full', 'partial', 'none']).nullish().describe('full: 40 %. partial: 20 %.'),
  amount: reais.nullish().describe('Amount to pay, in reais, when available.'),
  barcode: personal(string).nullish().describe('Digits to type or scan, when available.'),
  due_date: date.nullish().describe('Last day to pay the slip.'),
  payment_method: openSet(paymentMethod).nullish().describe('Payment method.'),
  pix: personal(string).nullish().describe('Copy-and-paste code, for payment method pix only.'),
  created_at: timestamp.nullish().describe('When the record was made.'),
  updated_at: timestamp.nullish().describe('When the record last changed: orders the events of a slip.'),
  traffic_violation: violationReference.nullish().describe('The violation that the slip pays.'),
}).meta({ title: 'Traffic violation payment slip' });
