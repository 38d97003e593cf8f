import { expect, test } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import { createCooldown } from './cooldown.ts';

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
