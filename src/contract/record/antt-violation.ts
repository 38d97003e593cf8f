/** Schemas of ANTT violations and their payment slips. */
import { object, openSet, personal, reais, recordId, string } from '../field/schemas.ts';
import { date, timestamp } from '../field/time.ts';
import { companyReference } from './company.ts';
import { paymentMethod, slipStatus } from './payment-slip.ts';

/** The rules that an ANTT violation can break (specification, Resources, ANTT violation). */
export const anttViolationTypes = [
  'excess_weight',
  'electronic_freight_payment',
  'minimum_freight_rate',
  'rntrc',
  'sac_trip',
  'hazardous_goods_transport',
  'interstate_passenger_transport',
  'toll_voucher',
] as const;

/** States of the proceedings of an ANTT violation. */
export const anttViolationStatuses = [
  'pending',
  'paid',
  'overdue',
  'citation',
  'fine_notice',
  'penalty_notice_issued',
  'penalty_notice_received',
  'citation_issued',
  'citation_received',
  'pending_citation_issuance',
  'appeal',
  'jari_appeal',
  'defense_appeal',
  'pending_preclusion_term',
  'frozen_timely_defense',
  'frozen_timely_appeal',
  'frozen_judicial_decision',
  'frozen_active_debt',
  'active_debt',
  'credit_bureau',
] as const;

/**
 * A violation of the rules of the national land transport agency, ANTT
 * (specification, Resources, ANTT violation).
 */
export const anttViolation = object({
  id: recordId.describe('Unique id of the violation.'),
  external_uid: string.nullish().describe("The agency's identifier."),
  code: string.nullish().describe("The agency's code."),
  key: string.nullish().describe('Key of the proceedings.'),
  description: string.nullish().describe('Description of the violation.'),
  location: personal(string).nullish().describe('Place of the violation.'),
  license_plate: string.nullish().describe('Plate of the vehicle.'),
  date: date.nullish().describe('Day of the violation.'),
  due_date: date.nullish().describe('Last day to pay.'),
  penalty_notice_date: date.nullish().describe('Day of the penalty notice.'),
  synced_at: timestamp
    .nullish()
    .describe('When it was last read from the agency: orders the events of an ANTT violation.'),
  type: openSet(anttViolationTypes).describe('The rules that were broken.'),
  status: openSet(anttViolationStatuses).describe(
    'State of the proceedings. credit_bureau: registered with a credit bureau.',
  ),
  amount: reais.nullish().describe('Amount of the fine, in reais.'),
  company: companyReference.nullish().describe('The company it was issued to.'),
}).meta({ title: 'ANTT violation' });

const violationReference = object({
  id: recordId.nullish().describe('Id of the violation.'),
  external_uid: string.nullish().describe("The agency's identifier."),
  code: string.nullish().describe("The agency's code."),
  description: string.nullish().describe('Description of the violation.'),
  due_date: date.nullish().describe('Last day to pay the violation.'),
});

/** A payment slip of an ANTT violation (specification, Resources, ANTT violation payment slip). */
export const anttViolationTicket = object({
  id: recordId.describe('Unique id of the slip.'),
  status: openSet(slipStatus).describe('State of the request for the slip.'),
  amount: reais.nullish().describe('Amount to pay, in reais, when available.'),
  barcode: personal(string).nullish().describe('Digits to type or scan, when available.'),
  payment_method: openSet(paymentMethod).nullish().describe('Payment method.'),
  pix: personal(string).nullish().describe('Copy-and-paste code, for payment method pix only.'),
  due_date: date.nullish().describe('Last day to pay the slip.'),
  status_reason: string.nullish().describe('Why it was rejected or failed.'),
  synced_at: timestamp.nullish().describe('When it was last read from the agency.'),
  created_at: timestamp.nullish().describe('When the record was made.'),
  updated_at: timestamp.nullish().describe('When the record last changed: orders the events of a slip.'),
  antt_violation: violationReference.nullish().describe('The violation that the slip pays.'),
}).meta({ title: 'ANTT violation payment slip' });
