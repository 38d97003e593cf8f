import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import type { StoredEvent } from '../../../event/stored-event.ts';
import { LazyStoredEvent } from '../../shared/events/lazy-stored-event.ts';
import { testEvent } from '../../../testing/test-event.ts';

const { data, ...record } = testEvent('company.updated') as StoredEvent;
const body = JSON.stringify({ type: record.kind, data });

test('behaves like a plain event', () => {
  const plain = { ...record, data };
  const looks: readonly ((event: StoredEvent) => unknown)[] = [
    (event) => ({ ...event }),
    (event) => JSON.parse(JSON.stringify(event)) as unknown,
    (event) => structuredClone(event),
    (event) => Object.fromEntries(Object.entries(event)),
  ];
  for (const look of looks) expect(look(new LazyStoredEvent(record, body))).toStrictEqual(plain);
  expect(new LazyStoredEvent(record, body)).toEqual(plain);
  expect(inspect(new LazyStoredEvent(record, body))).toBe(inspect(plain));
});

test('parses the payload once', () => {
  const event = new LazyStoredEvent(record, body);
  const first = event.data;
  expect(first).toEqual(data);
  expect(event.data).toBe(first);
});

test('ignores a byte order mark', () => {
  expect(new LazyStoredEvent(record, `\uFEFF${body}`).data).toEqual(data);
});

test('allows a handler to replace the payload, before or after reading it', () => {
  const event = new LazyStoredEvent(record, body);
  Object.assign(event, { data: 'mine' });
  expect(event.data).toBe('mine');

  const seen = new LazyStoredEvent(record, body);
  expect(seen.data).toEqual(data);
  Object.assign(seen, { data: 'mine' });
  expect(seen.data).toBe('mine');
});

test('returns null for a pruned body and for one that is not an envelope', () => {
  expect(new LazyStoredEvent(record, null).data).toBeNull();
  expect(new LazyStoredEvent(record, '{"type":').data).toBeNull();
});
