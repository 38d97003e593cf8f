import { expect, test } from 'vitest';
import type { Draw, Chance } from './pace-and-odds.ts';
import { nextIndicationMove, type IndicationState } from './next-indication-move.ts';

/** All that could happen does not, but for these. */
const only = (...chances: readonly Chance[]): Draw => ({
  happens: (chance) => chances.includes(chance),
  numbers: () => () => 0,
});

const automated: IndicationState = { status: 'pending', document_status: null, deadline: 'open' };
const byDocument: IndicationState = { ...automated, document_status: 'pending' };
const inReview: IndicationState = { ...byDocument, status: 'review', document_status: 'signed' };

test.each([
  ['an automated one is accepted', automated, [], 'accepted'],
  ['or rejected by the driver', automated, ['driver rejects'], 'rejected'],
  ['or fails', automated, ['indication fails'], 'failed'],
  ['one in review is filed', inReview, [], 'filed'],
  ['or prevented by the agency', inReview, ['agency voids an indication'], 'voided'],
  ['after the deadline it expires', { ...automated, deadline: 'over' }, [], 'expired'],
  [
    'whatever of its document',
    { ...byDocument, deadline: 'over', document_status: 'refused' },
    [],
    'expired',
  ],
  [
    'without deadline somebody answers',
    { ...automated, deadline: 'none' },
    ['driver does not answer'],
    'accepted',
  ],
] as const)('%s', (_, standing, chances, status) => {
  expect(nextIndicationMove(standing, only(...chances))).toMatchObject({ to: 'move', status });
});

test.each([
  ['a document is signed', byDocument, [], 'sign'],
  ['or refused', byDocument, ['signer refuses'], 'refuse'],
  ['who does not answer is waited for', automated, ['driver does not answer'], 'wait'],
  ['who does not sign, too', byDocument, ['driver does not answer'], 'wait'],
  ['a refused document waits for the deadline', { ...byDocument, document_status: 'refused' }, [], 'wait'],
] as const)('%s', (_, standing, chances, to) => {
  expect(nextIndicationMove(standing, only(...chances))).toMatchObject({ to });
});

test.each(['accepted', 'filed', 'expired', 'rejected', 'failed', 'voided', 'canceled'] as const)(
  'one that is %s has ended',
  (status) => {
    expect(nextIndicationMove({ ...automated, status }, only())).toBeNull();
  },
);
