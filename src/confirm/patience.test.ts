import { expect, test } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { createPatience } from './patience.ts';

test('a provider that answers is asked as often as need be', () => {
  const patience = createPatience(manualClock());
  patience.regain();
  expect([patience.allows(), patience.allows()]).toEqual([true, true]);
});

test('one that does not is left alone for a minute, and then asked once', () => {
  const clock = manualClock();
  const patience = createPatience(clock);

  patience.lose();
  expect(patience.allows()).toBe(false);
  clock.advance(59_999);
  expect(patience.allows()).toBe(false);
  clock.advance(1);

  expect([patience.allows(), patience.allows()]).toEqual([true, false]);
  clock.advance(60_000);
  expect(patience.allows(), 'that one never ended').toBe(true);
});

test('one that answers again is asked by all again', () => {
  const clock = manualClock();
  const patience = createPatience(clock);
  patience.lose();
  clock.advance(60_000);
  patience.allows();

  patience.regain();

  expect([patience.allows(), patience.allows()]).toEqual([true, true]);
});
