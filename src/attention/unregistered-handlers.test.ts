import { expect, test } from 'vitest';
import { findUnregistered, unregisteredWarning } from './unregistered-handlers.ts';

const row = (handler: string, pending: number) => ({
  ...{ handler, pending, running: 0, succeeded: 0, dead: 4, skipped: 0 },
});
const totals = (...byHandler: readonly ReturnType<typeof row>[]) => ({ byHandler });

test('each handler with pending deliveries that is not registered is a problem, with both remedies', () => {
  const found = findUnregistered(
    totals(row('known', 3), row('gone', 2), row('empty', 0), row('lost/effects', 1)),
    ['known'],
  );
  expect(found).toEqual([
    {
      problem: 'unregistered-handlers',
      of: 'gone',
      since: null,
      summary: '2 pending deliveries wait for handler gone, which is not registered',
      remedy:
        'register it again under this name (PORTARIA_HANDLERS, PORTARIA_FORWARD_URL) and restart, or end them with `portaria deliveries discard --handler gone --reason "…"`',
      facts: { about: 'unregistered-handlers', handler: 'gone', pending: 2 },
    },
    expect.objectContaining({
      of: 'lost/effects',
      summary: '1 pending delivery waits for handler lost/effects, which is not registered',
    }),
  ]);
});

test('given registered handlers only, there is no problem and no warning', () => {
  expect(findUnregistered(totals(row('known', 3)), ['known'])).toEqual([]);
  expect(unregisteredWarning(totals(row('known', 3), row('gone', 0)), ['known'])).toBeNull();
});

test('a warning names ten handlers at most, and counts the others', () => {
  const rows = Array.from({ length: 12 }, (_, index) => row(`h${String(index)}`, 1));
  const warning = unregisteredWarning(totals(...rows), []);
  expect(warning).toMatch(/not registered: h0 \(1\), .*h9 \(1\) and 2 more;/u);
  expect(warning).toContain('`portaria deliveries discard --handler h0 --reason "…"`');
});
