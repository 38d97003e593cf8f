import { expect, test } from 'vitest';
import { HOUR_MS } from '../kernel/time/durations.ts';
import type { ReceivedKind } from '../store/monitoring.ts';
import { findUnknownKinds } from './unknown-kinds.ts';

const now = 1_000 * 24 * HOUR_MS;

const received = (kind: string, ageHours: number, more: Partial<ReceivedKind> = {}): ReceivedKind => ({
  source: 'default',
  kind,
  recognized: false,
  events: 2,
  firstReceivedAt: now - ageHours * HOUR_MS - 1,
  lastReceivedAt: now - ageHours * HOUR_MS,
  ...more,
});

const found = (kinds: readonly ReceivedKind[], known: readonly string[] = []) =>
  findUnknownKinds(kinds, now, (_source, kind) => known.includes(kind));

test('a kind outside the contract needs attention for seven days, and until it is defined', () => {
  expect(found([received('company.archived', 1)])).toEqual([
    {
      problem: 'unknown-kinds',
      of: 'default',
      since: now - HOUR_MS - 1,
      summary:
        '1 kind of source default that came within seven days is outside the contract: company.archived',
      remedy: expect.stringContaining('portaria contract drift') as string,
      facts: { about: 'unknown-kinds', source: 'default', count: 1, names: ['company.archived'] },
    },
  ]);
  expect(found([received('company.archived', 7 * 24)])).toEqual([]);
  expect(found([received('company.archived', 1)], ['company.archived'])).toEqual([]);
  expect(found([received('company.created', 1, { recognized: true })])).toEqual([]);
});

test('many kinds are one problem for each source, which names the latest', () => {
  const kinds = ['a.a', 'b.b', 'c.c', 'd.d'].map((kind, at) => received(kind, 10 - at));
  expect(found([...kinds, received('', 1, { source: 'branch' })])).toMatchObject([
    { of: 'default', summary: expect.stringMatching(/^4 kinds .*: d\.d, c\.c, b\.b, and 1 more$/) as string },
    { of: 'branch', summary: expect.stringMatching(/: others$/) as string },
  ]);
});

test('personal data in a kind is masked', () => {
  expect(found([received('user.52998224725', 1)])[0]!.summary).not.toContain('52998224725');
});
