/** The demo's verdict on a subject: that it can be anything but `equal`, and when. */
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
    told: { messageId, type, data },
    received: { id: `7gk2m9-${String(number)}`, kind: type, version, messageId, data },
  };
}

const created = event(1, 'traffic-violation.ticket.created', pending, pending.updated_at);
const updated = event(2, 'traffic-violation.ticket.updated', issued, issued.updated_at);

/** A slip that both sides know alike: it was requested and issued. */
const slip = {
  told: {
    subject: 'traffic-violation-ticket:9',
    family: 'traffic-violation-ticket',
    id: 9,
    events: [created.told, updated.told],
  },
  received: { events: [created.received, updated.received] },
  state: { status: 'issued' },
  record: issued,
  absent: null,
  wasInactive: false,
} as const;

test('what both sides know alike is equal, in whatever order it arrived', () => {
  expect(compareSubject(slip)).toEqual({
    subject: 'traffic-violation-ticket:9',
    family: 'traffic-violation-ticket',
    standing: 'equal',
  });
  const reordered = { events: [updated.received, created.received] };
  expect(compareSubject({ ...slip, received: reordered })).toMatchObject({ standing: 'equal' });
});

test.each([
  ['a subject that never arrived', { received: undefined }, 'the receiver knows nothing of it'],
  [
    'a webhook that never arrived, though a later one did',
    { received: { events: [updated.received] } },
    '1 of 2 webhooks are not stored: traffic-violation.ticket.created',
  ],
  [
    'a machine that is behind',
    { state: { status: 'pending' } },
    'of its machine status is pending, not issued',
  ],
  ['a machine that knows nothing', { state: undefined }, 'its machine has no state'],
  [
    'a record that went on without a webhook',
    { record: { ...issued, amount: 130.16 } },
    'its record differs in amount',
  ],
  [
    'another content than was told',
    { received: { events: [created.received, { ...updated.received, data: { ...issued, pix: 'x' } }] } },
    'its latest is traffic-violation.ticket.updated (7gk2m9-2); what was told last differs in pix',
  ],
])('%s is a difference', (_, change, reason) => {
  expect(compareSubject({ ...slip, ...change })).toMatchObject({ standing: 'different', reason });
});

test('a record that went on while its user was silenced is not one, but a lost webhook of it is', () => {
  const record = { ...issued, status: 'rejected' };
  expect(compareSubject({ ...slip, record, wasInactive: true })).toMatchObject({ standing: 'silenced' });
  const lost = { events: [created.received] };
  expect(compareSubject({ ...slip, record, wasInactive: true, received: lost })).toMatchObject({
    standing: 'different',
  });
});

test.each(['withheld', 'removed'] as const)(
  'a record that is %s counts as that, once all was told',
  (absent) => {
    const gone = { ...slip, record: undefined, absent };
    expect(compareSubject(gone)).toMatchObject({ standing: absent });
    expect(compareSubject({ ...gone, state: { status: 'requested' } })).toMatchObject({
      standing: 'different',
    });
  },
);

test('a deletion that was told is equal to a record that is gone', () => {
  const user = { id: 'cu_1', name: 'Ana', updated_at: '2026-03-10T12:00:00.000Z' };
  const deleted = event(3, 'console-user.deleted', user, '~');
  const told = {
    subject: 'console-user:cu_1',
    family: 'console-user',
    id: 'cu_1',
    events: [deleted.told],
  } as const;
  const sides = { told, received: { events: [deleted.received] }, state: undefined, wasInactive: false };
  expect(compareSubject({ ...sides, record: undefined, absent: 'removed' })).toMatchObject({
    standing: 'equal',
  });
  expect(compareSubject({ ...sides, record: user, absent: null })).toMatchObject({ standing: 'different' });
});

test('of families without a version an older state may arrive last, but the newest must have arrived', () => {
  const charge = { id: 4, status: 'pending', company: { id: 1, name: 'A' } };
  const first = event(1, 'charge.created', charge, null);
  const last = event(2, 'charge.updated', { ...charge, status: 'paid' }, null);
  const sides = {
    told: { subject: 'charge:4', family: 'charge', id: 4, events: [first.told, last.told] },
    state: undefined,
    record: { ...charge, status: 'paid', company: { id: 1 } },
    absent: null,
    wasInactive: false,
  } as const;
  const inOrder = { events: [first.received, last.received] };
  expect(compareSubject({ ...sides, received: inOrder })).toMatchObject({ standing: 'equal' });
  const swapped = { events: [last.received, first.received] };
  expect(compareSubject({ ...sides, received: swapped })).toMatchObject({ standing: 'overtaken' });
  expect(compareSubject({ ...sides, received: { events: [first.received] } })).toMatchObject({
    standing: 'different',
  });
});
