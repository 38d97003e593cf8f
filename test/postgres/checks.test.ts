/** The checks of `doctor` on PostgreSQL. */
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { openFixture } from '../conformance/store-fixture.ts';
import { postgres } from './postgres-places.ts';

test('x', async () => {
  const { store, stored, claim } = await openFixture(postgres);
  await stored({});
  await claim();
  console.log(await store.checks());
});
