import { closedSet } from '../field/closed-set.ts';
import { date } from '../field/date.ts';
import { object } from '../field/object.ts';
import { personal } from '../field/personal.ts';
import { reais, recordId, text } from '../field/scalars.ts';
import { timestamp } from '../field/timestamp.ts';
import { companyReference } from './company-reference.ts';

/** Which rules an ANTT violation broke (specification, Resources, ANTT violation). */
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

/** States of the process of an ANTT violation. */
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
  external_uid: text.nullish().describe("The agency's identifier."),
  code: text.nullish().describe("The agency's code."),
  key: text.nullish().describe('Key of the process.'),
  description: text.nullish().describe('What was found.'),
  location: personal(text).nullish().describe('Where.'),
  license_plate: text.nullish().describe('Plate of the vehicle.'),
  date: date.nullish().describe('Day of the violation.'),
  due_date: date.nullish().describe('Last day to pay.'),
  penalty_notice_date: date.nullish().describe('Day of the penalty notice.'),
  synced_at: timestamp
    .nullish()
    .describe('When it was last read from the agency: orders the events of an ANTT violation.'),
  type: closedSet(anttViolationTypes).describe('Which rules.'),
  status: closedSet(anttViolationStatuses).describe(
    'State of the process; credit_bureau is registered with a credit bureau.',
  ),
  amount: reais.nullish().describe('Amount of the fine, in reais.'),
  company: companyReference.nullish().describe('The company it was issued to.'),
}).meta({ title: 'ANTT violation' });
