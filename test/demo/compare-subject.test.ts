/** The outcomes of comparing a subject in the demo. */
import { expect, test } from 'vitest';
import { compareSubject } from '../../demo/compare/compare-subject.mjs';

const pending = { id: 9, status: 'pending', updated_at: '2026-03-10T12:00:00.000Z' };
const issued = { id: 9, status: 'issued', updated_at: '2026-03-10T12:01:00.000Z' };

function event(
  number: number,
  type: string,
  data: Readonly<Record<string, unknown>>,
  version: string | null,
) {
  const messageId = `msg_abcdefgh${String(number)}`;
  return {
    sent: { messageId, type, data },
    received: { id: `7gk2m9-${String(number)}`, kind: type, version, messageId, data },
  };
}

const created = event(1, 'traffic-violation.ticket.created', pending, pending.updated_at);
const updated = event(2, 'traffic-violation.ticket.updated', issued, issued.updated_at);

/** A slip that both sides know, requested and issued. */
const slip = {
  sent: {
    subject: 'traffic-violation-ticket:9',
    family: 'traffic-violation-ticket',
    id: 9,
    events: [created.sent, updated.sent],
  },
  received: { events: [created.received, updated.received] },
  state: { status: 'issued' },
  record: issued,
  absent: null,
  wasInactive: false,
} as const;

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
  ['a subject that never arrived', { received: undefined }, 'the receiver does not have it'],
  [
    'a webhook that never arrived, though a later one did',
    { received: { events: [updated.received] } },
    '1 of 2 webhooks are not stored: traffic-violation.ticket.created',
  ],
  [
    'a machine that is behind',
    { state: { status: 'pending' } },
    'its machine differs: status is pending, not issued',
  ],
  ['a machine without a state', { state: undefined }, 'its machine has no state'],
  [
    'a record that changed without a webhook',
    { record: { ...issued, amount: 130.16 } },
    'its record differs in amount',
  ],
  [
    'content that was not sent',
    { received: { events: [created.received, { ...updated.received, data: { ...issued, pix: 'x' } }] } },
    'its latest is traffic-violation.ticket.updated (7gk2m9-2); the last webhook differs in pix',
  ],
])('reports %s as different', (_, change, reason) => {
  expect(compareSubject({ ...slip, ...change })).toMatchObject({ outcome: 'different', reason });
});

test('reports a change while the link was inactive as silenced, but a lost webhook as different', () => {
  const record = { ...issued, status: 'rejected' };
  expect(compareSubject({ ...slip, record, wasInactive: true })).toMatchObject({ outcome: 'silenced' });
  const lost = { events: [created.received] };
  expect(compareSubject({ ...slip, record, wasInactive: true, received: lost })).toMatchObject({
    outcome: 'different',
  });
});

test.each(['withheld', 'removed'] as const)(
  'reports a record that is %s, if all webhooks arrived',
  (absent) => {
    const gone = { ...slip, record: undefined, absent };
    expect(compareSubject(gone)).toMatchObject({ outcome: absent });
    expect(compareSubject({ ...gone, state: { status: 'requested' } })).toMatchObject({
      outcome: 'different',
    });
  },
);

test('reports a sent deletion of a removed record as equal', () => {
  const user = { id: 'cu_1', name: 'Ana', updated_at: '2026-03-10T12:00:00.000Z' };
  const deleted = event(3, 'console-user.deleted', user, '~');
  const sent = {
    subject: 'console-user:cu_1',
    family: 'console-user',
    id: 'cu_1',
    events: [deleted.sent],
  } as const;
  const sides = { sent, received: { events: [deleted.received] }, state: undefined, wasInactive: false };
  expect(compareSubject({ ...sides, record: undefined, absent: 'removed' })).toMatchObject({
    outcome: 'equal',
  });
  expect(compareSubject({ ...sides, record: user, absent: null })).toMatchObject({ outcome: 'different' });
});

test('reports an older state that arrived last as overtaken in a family without a version', () => {
  const charge = { id: 4, status: 'pending', company: { id: 1, name: 'A' } };
  const first = event(1, 'charge.created', charge, null);
  const last = event(2, 'charge.updated', { ...charge, status: 'paid' }, null);
  const sides = {
    sent: { subject: 'charge:4', family: 'charge', id: 4, events: [first.sent, last.sent] },
    state: undefined,
    record: { ...charge, status: 'paid', company: { id: 1 } },
    absent: null,
    wasInactive: false,
  } as const;
  const inOrder = { events: [first.received, last.received] };
  expect(compareSubject({ ...sides, received: inOrder })).toMatchObject({ outcome: 'equal' });
  const swapped = { events: [last.received, first.received] };
  expect(compareSubject({ ...sides, received: swapped })).toMatchObject({ outcome: 'overtaken' });
  expect(compareSubject({ ...sides, received: { events: [first.received] } })).toMatchObject({
    outcome: 'different',
  });
});
