import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { manualClock } from '../src/testing/manual-clock.ts';
import { openSavedClock } from './saved-clock.ts';

const NOW = Date.parse('2026-03-10T12:00:00.000Z');

function open() {
  const sqlite = new Database(':memory:');
  sqlite.exec('create table service_clock (ahead_ms integer not null); insert into service_clock values (0)');
  const machine = manualClock(NOW);
  const start = () =>
    openSavedClock(sqlite, machine, (write) => {
      write();
      return Promise.resolve();
    });
  return { machine, start };
}

/** Lets the promises of the last write resolve, which schedule the next one. */
const written = () => new Promise((resolve) => setImmediate(resolve));

test('a restart continues at the time of the stop', () => {
  const { machine, start } = open();
  const first = start();
  first.advance(3_600_000);
  first.setSpeed(60);
  machine.advance(500);
  first.close();

  const { clock } = start();

  expect(clock.now()).toBe(NOW + 3_600_000 + 30_000);
  expect(clock.speed).toBe(1);
});

test.each([0, 1, 60, 3_600])('after a crash at speed %d the time does not go back', async (speed) => {
  const { machine, start } = open();
  const first = start();
  first.setSpeed(speed);
  for (let second = 0; second < 5; second += 1) {
    machine.advance(999);
    expect(start().clock.now()).toBeGreaterThanOrEqual(first.clock.now());
    machine.advance(1);
    await written();
    expect(start().clock.now()).toBeGreaterThanOrEqual(first.clock.now());
    // It is at most the time ahead that passes between two writes.
    expect(start().clock.now() - first.clock.now()).toBeLessThanOrEqual(Math.max(1, speed) * 1_000);
  }
});

test('an advance at another speed is kept', () => {
  const { start } = open();
  const first = start();
  first.setSpeed(0);
  first.advance(86_400_000);
  first.close();

  expect(start().clock.now()).toBe(NOW + 86_400_000);
});

test('a closed clock writes nothing more', async () => {
  const { machine, start } = open();
  const first = start();
  first.setSpeed(60);
  first.close();
  machine.advance(10_000);
  await written();

  expect(start().clock.ahead).toBe(0);
});
