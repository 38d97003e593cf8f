/** The outcomes of comparing a subject in the demo. */
import { expect, test } from 'vitest';
import { compareSubject } from '../../demo/compare/compare-subject.mjs';

const pending = { id: 9, status: 'pending', updated_at: '2026-03-10T12:00:00.000Z' };
const issued = { id: 9, status: 'issued', updated_at: '2026-03-10T12:01:00.000Z' };

type Data = Readonly<Record<string, unknown>>;

function event(number: number, type: string, data: Data, version: string | null) {
  const messageId = `msg_abcdefgh${String(number)}`;
  return {
    sent: { messageId, type, data, isLost: false },
    lost: { messageId, type, data, isLost: true },
    received: { id: `7gk2m9-${String(number)}`, kind: type, version, messageId, data },
  };
}

const created = event(1, 'traffic-violation.ticket.created', pending, pending.updated_at);
const updated = event(2, 'traffic-violation.ticket.updated', issued, issued.updated_at);

/** A slip that both sides know, requested and issued. */
const slip = {
  subject: 'traffic-violation-ticket:9',
  family: 'traffic-violation-ticket',
  sent: [created.sent, updated.sent],
  received: { events: [created.received, updated.received] },
  found: undefined,
  state: { status: 'issued' },
  wasInactive: false,
} as const;

const found = (outcome: string, ...paths: readonly string[]) => ({
  found: { outcome, fields: paths.map((path) => ({ path })) },
});

test('reports equal sides as equal, in any order of arrival', () => {
  expect(compareSubject(slip)).toEqual({
    subject: 'traffic-violation-ticket:9',
    family: 'traffic-violation-ticket',
    outcome: 'equal',
  });
  const reordered = { events: [updated.received, created.received] };
  expect(compareSubject({ ...slip, received: reordered })).toMatchObject({ outcome: 'equal' });
});

test.each([
  ['a subject that never arrived', { received: undefined }, /^2 of 2 webhooks are not stored: /],
  [
    'a webhook that never arrived, though a later one did',
    { received: { events: [updated.received] } },
    /^1 of 2 webhooks are not stored: traffic-violation.ticket.created$/,
  ],
  ['a machine that is behind', { state: { status: 'pending' } }, /status is pending, not issued/],
  ['a machine without a state', { state: undefined }, /^its machine has no state$/],
  ['a difference that nothing explains', found('behind', 'amount'), /^its record is behind: amount$/],
])('reports %s as different', (_, change, reason) => {
  const compared = compareSubject({ ...slip, ...change });
  expect([compared.outcome, compared.reason]).toEqual(['different', expect.stringMatching(reason)]);
});

test('what the provider lost explains a difference, and nothing else of the subject', () => {
  const lost = {
    ...slip,
    sent: [created.sent, updated.lost],
    received: { events: [created.received] },
    state: { status: 'pending' },
  };
  expect(compareSubject({ ...lost, ...found('behind', 'status') })).toMatchObject({
    outcome: 'lost',
    reason: 'behind, without traffic-violation.ticket.updated',
  });
  // A repair has brought what was lost.
  const repair = { ...updated.received, messageId: null };
  const repaired = { ...lost, received: { events: [created.received, repair] } };
  expect(compareSubject({ ...repaired, state: { status: 'issued' } })).toMatchObject({ outcome: 'equal' });
  expect(compareSubject(repaired)).toMatchObject({ outcome: 'different' });
});

test('a family without a list stays unchecked where webhooks were lost, whatever its machine says', () => {
  const login = event(1, 'user.login.started', { id: 3, step: null }, '1');
  const sides = { ...slip, subject: 'user-login:3', family: 'user-login', sent: [login.lost] } as const;
  expect(compareSubject({ ...sides, received: undefined, state: undefined })).toMatchObject({
    outcome: 'unchecked',
  });
});

test.each(['withheld', 'removed'] as const)('reports a record that is %s, with its machine', (outcome) => {
  expect(compareSubject({ ...slip, ...found(outcome) })).toMatchObject({ outcome });
  expect(compareSubject({ ...slip, ...found(outcome), state: { status: 'requested' } })).toMatchObject({
    outcome: 'different',
  });
});

test('a removal whose webhook was lost is lost', () => {
  const deleted = event(3, 'console-user.deleted', { id: 'cu_1' }, 'deleted');
  const removed = { ...slip, sent: [...slip.sent, deleted.lost], ...found('removed') };
  expect(compareSubject(removed)).toMatchObject({ outcome: 'lost' });
});

test('a record of before, and a change while the link was inactive, have no webhook', () => {
  const unsent = { ...slip, sent: [], received: undefined, state: undefined };
  expect(compareSubject({ ...unsent, ...found('missed') })).toMatchObject({ outcome: 'unsent' });
  expect(compareSubject({ ...slip, ...found('behind', 'status'), wasInactive: true })).toMatchObject({
    outcome: 'silenced',
  });
});

test('reports an older state that arrived last as disordered in a family without a version', () => {
  const charge = { id: 4, status: 'pending' };
  const first = event(1, 'charge.created', charge, null);
  const last = event(2, 'charge.updated', { ...charge, status: 'paid' }, null);
  const sides = {
    ...{ ...slip, ...found('behind', 'status'), state: undefined },
    ...{ subject: 'charge:4', family: 'charge' as const, sent: [first.sent, last.sent] },
  };
  const swapped = { events: [last.received, first.received] };
  expect(compareSubject({ ...sides, received: swapped })).toMatchObject({ outcome: 'disordered' });
  const inOrder = { events: [first.received, last.received] };
  expect(compareSubject({ ...sides, received: inOrder })).toMatchObject({ outcome: 'different' });
});
