/** Processes whose machines have a wrong clock go by the clock of the database. */
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/kernel/time/clock.ts';
import { createFollowingClock } from '../../../src/kernel/time/following-clock.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import { manualClock } from '../../../src/testing/manual-clock.ts';
import { eventually } from '../../support/eventually.ts';
import { route, sampleEvent } from '../../conformance/sample-event.ts';
import { postgresWithOwnSessions } from '../kit/postgres-places.ts';
import { addressOf } from '../kit/raw-client.ts';

const HOUR = 3_600_000;
const HANDLER = 'anyone';

/** How a clock that is wrong by an hour is told. A machine that is busy while it measures finds seconds more or less. */
const anHour = (side: string): unknown =>
  expect.stringMatching(
    `^this machine's clock is 3(?:5[5-9]|6[0-4])\\d[.]\\d s ${side} PostgreSQL's; this process goes by PostgreSQL's clock; synchronize both machines by NTP$`,
  );

/** A place, and how a machine whose clock is ahead opens the store there. */
async function openPlace() {
  const place = await postgresWithOwnSessions.place();
  onTestFinished(() => place.remove());
  const right = await place.open('owner', createFollowingClock(systemClock));
  onTestFinished(() => right.close());
  const url = addressOf(right);
  return {
    right,
    async open(aheadMs: number) {
      const differences: string[] = [];
      const timers = manualClock();
      const machine = { ahead: aheadMs };
      const clock = createFollowingClock({
        ...systemClock,
        now: () => systemClock.now() + machine.ahead,
        after: timers.after,
      });
      const store = await openPostgresStore({
        ...{ url, role: 'owner', clock },
        onWarning: (warning, about) => void (about === 'clock' && differences.push(warning)),
      });
      onTestFinished(() => store.close());
      return { store, clock, machine, differences, beat: () => timers.advance(2_000) };
    },
  };
}

test.each([HOUR, -HOUR])('a machine that is ahead by %d ms has the time of the others', async (ahead) => {
  const { open } = await openPlace();
  const { clock } = await open(ahead);
  expect(Math.abs(clock.now() - systemClock.now())).toBeLessThan(HOUR / 2);
});

test('a machine that is an hour ahead runs no retry of another one early', async () => {
  const { right, open } = await openPlace();
  const now = systemClock.now();
  await right.accept(sampleEvent({ receivedAt: now }), [route(HANDLER)]);
  const { deliveries } = await right.claim({ now: systemClock.now(), limit: 1, handlers: [HANDLER] });
  const [delivery] = deliveries;
  if (delivery === undefined) throw new Error('expected a delivery');
  await right.reschedule(delivery, { now, dueAt: now + HOUR / 2, reason: 'HTTP 503' });
  const { store, clock } = await open(HOUR);

  const claim = await store.claim({ now: clock.now(), limit: 1, handlers: [HANDLER] });

  expect(claim.deliveries).toEqual([]);
  expect(claim.nextDueAt).toBe(now + HOUR / 2);
});

test('the difference is told at the start, and again when the clock of the machine jumps', async () => {
  const { open } = await openPlace();
  const { clock, machine, differences, beat } = await open(HOUR);
  expect(differences).toEqual([anHour('ahead of')]);

  machine.ahead = -HOUR;
  expect(Math.abs(clock.now() - systemClock.now()), 'before the next heartbeat, too').toBeLessThan(HOUR / 2);
  await eventually('the next heartbeat tells it', () => {
    beat();
    return differences.length === 2;
  });
  expect(differences[1]).toEqual(anHour('behind'));
});

test('a clock that is right is not mentioned', async () => {
  const { open } = await openPlace();
  const { store, differences } = await open(0);
  expect(differences).toEqual([]);
  expect((await store.checks({ integrity: false })).find(({ name }) => name === 'clock')).toMatchObject({
    name: 'clock',
    ok: true,
    detail: expect.stringMatching(/^this machine's clock is \d+\.\d s (?:ahead of|behind) PostgreSQL's$/),
  });
});

test('doctor warns of a clock that is wrong, and fails only for a process that goes by it', async () => {
  const { open } = await openPlace();
  const { store } = await open(HOUR);
  expect((await store.checks({ integrity: false })).find(({ name }) => name === 'clock')).toMatchObject({
    name: 'clock',
    ok: true,
    warning: true,
    detail: anHour('ahead of'),
  });
});
