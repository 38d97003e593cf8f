/** Values that fields accept, note as unknown, or reject. */
import { describe, expect, it } from 'vitest';
import type { EventKind } from '../../src/contract/catalogue.ts';
import type { JsonValue } from '../../src/kernel/json/json.ts';
import { fixture } from '../support/webhooks/fixtures.ts';
import { issuesOf, withValue } from '../support/webhooks/payload-fields.ts';
import type { KindContract } from '../../src/contract/kind-contract.ts';
import { specification } from '../../src/contract/specification.ts';

function contractOf(kind: string): KindContract {
  const found = specification.find('default', kind);
  if (found === undefined) throw new Error(`no kind ${kind}`);
  return found;
}

type Case = readonly [kind: EventKind, path: string, ...values: JsonValue[]];

const slips = [
  'traffic-violation.ticket.updated',
  'antt-violation.ticket.updated',
  'charge.payment-slip.updated',
] as const;

const accepted: readonly Case[] = [
  // Enumerations, every value.
  [
    'company.sne.updated',
    'sne.status',
    'active',
    'inactive',
    'unavailable',
    'unknown',
    'pending',
    'canceling',
  ],
  ['company.updated', 'login.status', 'fail', 'success', 'incomplete', 'processing', 'voided'],
  ['company.updated', 'login.step', 'credentials', 'username', 'password', 'certificate', 'otp', 'completed'],
  [
    'user.login.step.updated',
    'step',
    'credentials',
    'username',
    'password',
    'certificate',
    'otp',
    'completed',
  ],
  ['company.login.started', 'step', null, 'completed'],
  ['traffic-violation.created', 'offender_type', 'owner', 'shipper', 'driver'],
  ['traffic-violation.ticket.created', 'discount', 'full', 'partial', 'none'],
  ['traffic-violation.ticket.created', 'payment_method', 'bank_slip', 'pix'],
  ['traffic-violation.indication.created', 'flow', 'automated', 'form'],
  [
    'traffic-violation.indication.updated',
    'status',
    'pending',
    'review',
    'accepted',
    'filed',
    'expired',
    'rejected',
    'failed',
    'voided',
    'canceled',
  ],
  [
    'antt-violation.created',
    'type',
    'excess_weight',
    'electronic_freight_payment',
    'minimum_freight_rate',
    'rntrc',
    'sac_trip',
    'hazardous_goods_transport',
    'interstate_passenger_transport',
    'toll_voucher',
  ],
  [
    'antt-violation.updated',
    'status',
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
  ],
  ...slips.map((kind): Case => [kind, 'status', 'pending', 'requested', 'issued', 'rejected', 'failed']),

  // Enumerations that the specification types as strings, and free text.
  ['traffic-violation.updated', 'status', 'citation', 'warning', 'paid', 'suspended'],
  ['traffic-violation.updated', 'reference.severity', 'very_serious', 'added_later'],
  ['charge.updated', 'status', 'pending', 'paid', 'overdue'],
  ['charge.updated', 'type', 'fine', 'fee', 'tax'],
  ['charge.updated', 'agency', 'antt', 'detran', 'dnit'],
  ['traffic-violation.indication.updated', 'document_status', 'pending', 'signed', 'refused', 'canceled'],
  ['company.updated', 'certificate.status', 'valid', 'expired', 'not_provided'],
  ['company.updated', 'login.type', 'certificate', 'username'],

  // Ids, amounts, counts.
  ['charge.created', 'id', 1, 0, 9007199254740991],
  ['charge.created', 'amount', 0, 0.1, 293.47, 1e9, -12.5],
  // The contract does not check the limit of a step.
  ['company.login.step.updated', 'attempt', 1, 3, 9],
  ['console-user.created', 'id', '1', 'cu_1', '0b0a7a4e-6f0e-4f33-8a2a-1c0d6f0f2b11'],

  // Tax ids: letters since 2026, and wrong check digits.
  ['company.created', 'tax_id', '11222333000181', '12ABC34501DE35', '00000000000000', '12345678000100'],
  ['company.created', 'login_username', '52998224725', '00000000000'],

  // Days and instants.
  ['charge.created', 'due_date', '2026-11-30', '2028-02-29', '0001-01-01'],
  [
    'company.created',
    'updated_at',
    '2026-11-30T10:00:00Z',
    '2026-11-30T10:00:00.123456-03:00',
    '2026-11-30T10:00:00',
  ],
  ['traffic-violation.created', 'date', '2026-11-30T10:00:00.000Z', '2026-11-30T10:00:00'],

  ['traffic-violation.indication.created', 'vars', {}, { contrato: 'CT-1', frota: '' }, { frota: null }],
  ['company.login.connected', 'disconnected_at', null, '2026-11-08T10:00:00.000Z'],
  ['user.login.started', 'tax_id', '52998224725', null, 5],
];

/** Values that the specification does not list. */
const unlisted: readonly Case[] = [
  ['company.sne.updated', 'sne.status', 'valid', 'ACTIVE'],
  ['company.updated', 'login.status', 'ok'],
  ['company.updated', 'login.service', 'other_portal'],
  ['company.updated', 'certificate.status', 'added_later'],
  ['company.updated', 'login.type', 'added_later'],
  ['company.login.step.updated', 'step', 'sms'],
  ['user.login.connected', 'service', 'other_portal'],
  ['traffic-violation.created', 'offender_type', 'pedestrian'],
  ['traffic-violation.updated', 'status', 'added_later'],
  ['traffic-violation.ticket.created', 'discount', 'half'],
  ['traffic-violation.ticket.created', 'payment_method', 'cash'],
  ['antt-violation.ticket.created', 'payment_method', 'cash'],
  ['traffic-violation.indication.created', 'flow', 'manual'],
  ['traffic-violation.indication.created', 'status', 'signed'],
  ['traffic-violation.indication.updated', 'document_status', 'added_later'],
  ['antt-violation.created', 'type', 'speeding'],
  ['antt-violation.created', 'status', 'serasa'],
  ['charge.updated', 'status', 'added_later'],
  ['charge.updated', 'type', 'added_later'],
  ...slips.map((kind): Case => [kind, 'status', 'paid']),
];

const rejected: readonly Case[] = [
  // An enumeration may grow, and has strings.
  ['company.sne.updated', 'sne.status', '', 1, {}],
  ['company.login.step.updated', 'step', '', 2, true],
  ['antt-violation.created', 'type', '', null],
  ...slips.map((kind): Case => [kind, 'status', '', null, 1]),
  ['traffic-violation.updated', 'status', '', null, 1],
  ['charge.updated', 'type', ''],

  ['charge.created', 'id', '8801', 1.5, 9007199254740992, null],
  ['charge.created', 'company.id', '12', 1.5],
  ['console-user.created', 'id', 12, ''],
  ['charge.created', 'amount', '92.41', JSON.parse('1e400') as number],
  ['company.login.started', 'attempt', '1', 1.5, -1, null],
  ['company.login.started', 'connected', 'false', 0, null],
  ['traffic-violation.created', 'payable', 'true', 1],
  ['traffic-violation.created', 'reference.points', 4],
  ['traffic-violation.created', 'latitude', '-23.5'],

  ['company.created', 'tax_id', '11.222.333/0001-81', '1122233300018', '12abc34501de35', '12ABC34501DEA5'],
  ['company.created', 'login_username', '529.982.247-25', '5299822472', '1234567890A'],
  ['traffic-violation.indication.created', 'tax_id', '11222333000181'],

  ['charge.created', 'due_date', '2026-02-29', '30/11/2026', '2026-11-30T00:00:00Z', '2026-1-5', ''],
  ['traffic-violation.created', 'date', '2026-11-30', 'yesterday', '2026-11-30T25:00:00Z', 1764000000],
  ['company.created', 'updated_at', '2026-02-29T00:00:00Z', '30/11/2026 10:00', ''],
  ['company.created', 'sne', 'active', []],
];

const one = (cases: readonly Case[]) =>
  cases.flatMap(([kind, path, ...values]) => values.map((value) => ({ kind, path, value })));

describe('values', () => {
  it.each(one(accepted))('$kind accepts $path $value', ({ kind, path, value }) => {
    const data = withValue(fixture(kind).data, path.split('.'), value);
    expect(issuesOf(kind, data)).toEqual([]);
    expect(contractOf(kind).isKnown(data)).toBe(true);
  });

  it.each(one(unlisted))('$kind accepts $path $value as an unknown value', ({ kind, path, value }) => {
    const data = withValue(fixture(kind).data, path.split('.'), value);
    expect(issuesOf(kind, data)).toEqual([]);
    expect(contractOf(kind).isKnown(data)).toBe(false);
    expect(contractOf(kind).unknownValues(data)).toMatchObject([{ path: `data.${path}`, value }]);
  });

  it.each(one(rejected))('$kind rejects $path $value', ({ kind, path, value }) => {
    const issues = issuesOf(kind, withValue(fixture(kind).data, path.split('.'), value));
    expect(issues).toEqual([expect.stringMatching(`^${path}: expected .+, received .+`)]);
  });

  it('rejects a number in vars, and names it', () => {
    const { data } = fixture('traffic-violation.indication.created');
    expect(issuesOf('traffic-violation.indication.created', { ...data, vars: { frota: 412 } })).toEqual([
      'vars.frota: expected a string, received a number',
    ]);
  });

  it('reports all issues at once', () => {
    const { data } = fixture('charge.created');
    expect(issuesOf('charge.created', { ...data, id: '1', status: null, amount: '1' })).toEqual([
      'id: expected a whole number up to 9007199254740991, received a string',
      'status: expected one of "pending", "paid", "overdue", received null',
      'amount: expected a number (reais), received a string',
    ]);
  });

  it('never repeats the wrong value, which may be personal data', () => {
    const { data } = fixture('traffic-violation.indication.created');
    const secret = 'segredo-529';
    for (const path of ['tax_id', 'document_signed_at', 'vars']) {
      const issues = issuesOf('traffic-violation.indication.created', { ...data, [path]: secret });
      expect(issues).toHaveLength(1);
      expect(issues.join()).not.toContain(secret);
    }
  });
});
