import { expect, it } from 'vitest';
import type { LaneReads, LaneRecord } from '../../store/lane-queue.ts';
import type { Pause } from '../../store/pauses.ts';
import { subjectLanes } from './subject-lanes.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const at = { source: 'default', subject: { family: 'charge', id: '1' } };

/** A pause of one lane. */
const pause: Pause = {
  ...{
    id: 'p1',
    handler: 'billing',
    source: null,
    subject: at.subject,
    acknowledgedAt: null,
    deadLetter: null,
  },
  ...{ reason: 'asked by 529.982.247-25', pausedBy: 'ana', pausedAt: NOW - 1, until: NOW + 9_000 },
};

async function lane(
  delivery: Partial<LaneRecord['delivery']>,
  handler = 'billing',
  pauses: readonly Pause[] = [],
) {
  const found: LaneRecord = {
    handler,
    delivery: {
      id: 'd1',
      eventId: 'abc123-1',
      kind: 'charge.updated',
      running: false,
      attempts: 0,
      lastError: null,
      dueAt: NOW,
      byRate: false,
      ...delivery,
    },
    behind: 3,
    more: false,
  };
  const store: LaneReads = { lanesOf: () => Promise.resolve([found]) };
  const [read] = await subjectLanes(store, at, {
    handlers: ['billing', 'failing'],
    openBreakers: [{ handler: 'failing', untilMs: NOW + 5_000, reason: 'Error: closed for 529.982.247-25' }],
    pauses,
    now: NOW,
    unmask: false,
  });
  return read;
}

it.each([
  ['runs', { running: true, attempts: 2 }, 'billing', ['running', null]],
  ['has no handler here', {}, 'foreign', ['unclaimed', null]],
  ['waits for its breaker', { attempts: 1, dueAt: NOW + 60_000 }, 'failing', ['breaker', NOW + 5_000]],
  ['waits for its next try', { attempts: 1, dueAt: NOW + 60_000 }, 'billing', ['retry', NOW + 60_000]],
  ['is due later, untried', { dueAt: NOW + 60_000 }, 'billing', ['later', NOW + 60_000]],
  ['waits for its rate', { attempts: 1, byRate: true, dueAt: NOW + 7 }, 'billing', ['rate', NOW + 7]],
  ['only waits for a place', { attempts: 1, dueAt: NOW - 1 }, 'billing', ['due', null]],
] as const)('a lane that %s', async (_what, delivery, handler, expected) => {
  const read = await lane(delivery, handler);
  expect([read?.state, read?.goesOnAt]).toEqual(expected);
});

it('the reason is the last error, or why the breaker opened, masked', async () => {
  expect((await lane({ attempts: 1, dueAt: NOW + 1, lastError: 'Error: CPF 529.982.247-25' }))?.reason).toBe(
    'Error: CPF <cpf>',
  );
  expect((await lane({}, 'failing'))?.reason).toBe('Error: closed for <cpf>');
});

it.each([
  ['its own', {}],
  ['of its handler', { subject: null }],
  ['of its source', { handler: null, subject: null, source: 'default' }],
])('a pause %s holds it, with the name and reason of the operator', async (_whose, scope) => {
  const read = await lane({ attempts: 2, lastError: 'Error: odd' }, 'billing', [{ ...pause, ...scope }]);
  expect(read).toMatchObject({
    ...{ state: 'paused', goesOnAt: NOW + 9_000, reason: 'asked by <cpf>', pausedBy: 'ana' },
  });
});

it('a lane behind a failed delivery names it', async () => {
  const behind = { ...pause, reason: '', pausedBy: 'Portaria', until: null, deadLetter: 'd4' };
  expect(await lane({}, 'billing', [behind])).toMatchObject({
    ...{ state: 'held', reason: null, pausedBy: null, failed: 'd4' },
  });
});

it('a pause neither concerns another lane nor what runs', async () => {
  const other = { ...pause, subject: { family: 'charge', id: '2' } };
  expect(await lane({}, 'billing', [other])).toMatchObject({ state: 'due', pausedBy: null });
  expect(await lane({ running: true }, 'billing', [pause])).toMatchObject({ state: 'running' });
  expect(await lane({}, 'failing', [{ ...pause, handler: 'failing' }])).toMatchObject({ state: 'paused' });
});
