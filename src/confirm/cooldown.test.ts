import { expect, test } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { createCooldown } from './create-confirm.ts';

test('every call is allowed while the provider responds', () => {
  const cooldown = createCooldown(manualClock());
  cooldown.end();
  expect([cooldown.allowsCall(), cooldown.allowsCall()]).toEqual([true, true]);
});

test('after a failure no call is allowed for a minute, and then a single probe', () => {
  const clock = manualClock();
  const cooldown = createCooldown(clock);

  cooldown.start();
  expect(cooldown.allowsCall()).toBe(false);
  clock.advance(59_999);
  expect(cooldown.allowsCall()).toBe(false);
  clock.advance(1);

  expect([cooldown.allowsCall(), cooldown.allowsCall()]).toEqual([true, false]);
  clock.advance(60_000);
  expect(cooldown.allowsCall(), 'the probe never ended').toBe(true);
});

test('every call is allowed again after a successful probe', () => {
  const clock = manualClock();
  const cooldown = createCooldown(clock);
  cooldown.start();
  clock.advance(60_000);
  cooldown.allowsCall();

  cooldown.end();

  expect([cooldown.allowsCall(), cooldown.allowsCall()]).toEqual([true, true]);
});
