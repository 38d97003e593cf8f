import { expect, test } from 'vitest';
import { manualClock } from '../../testing/manual-clock.ts';
import { watchWaiting } from './watch-waiting.ts';

const row = (handler: string, pending: number) => ({
  handler,
  pending,
  running: 0,
  succeeded: 0,
  dead: 0,
  skipped: 0,
});

function watched() {
  const clock = manualClock();
  const found = { byHandler: [row('known', 3)] };
  const warnings: string[] = [];
  const stop = watchWaiting({
    clock,
    deliveryNames: ['known'],
    totals: async () => found,
    warn: (warning) => warnings.push(warning),
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    warnings,
    stop,
    clock,
    async afterAMinute(...rows: readonly ReturnType<typeof row>[]) {
      found.byHandler = [...rows];
      clock.advance(60_000);
      await settled();
    },
  };
}

test('given a command that enqueues for a handler this process lacks, warns once within a minute', async () => {
  const { warnings, afterAMinute } = watched();

  await afterAMinute(row('known', 3), row('gone', 2));
  await afterAMinute(row('known', 3), row('gone', 5));

  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/not registered: gone \(2\);/);
  expect(warnings[0]).toContain('`portaria deliveries discard --handler gone --reason "…"`');
});

test('given another such handler, warns again; given none, stays silent', async () => {
  const { warnings, afterAMinute } = watched();

  await afterAMinute(row('known', 3), row('gone', 0));
  expect(warnings).toEqual([]);
  await afterAMinute(row('gone', 1));
  await afterAMinute(row('gone', 1), row('lost', 1));

  expect(warnings).toHaveLength(2);
  expect(warnings[1]).toMatch(/not registered: gone \(1\), lost \(1\);/);
});

test('names at most ten handlers', async () => {
  const { warnings, afterAMinute } = watched();

  await afterAMinute(...Array.from({ length: 12 }, (_, index) => row(`h${String(index)}`, 1)));

  expect(warnings[0]).toContain('h9 (1) and 2 more;');
});

test('sets no timer once stopped', () => {
  const { stop, clock } = watched();

  stop();

  expect(clock.untilNext).toBeNull();
});
