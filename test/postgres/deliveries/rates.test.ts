/** The buckets of rates while another transaction has locked some. */
import { expect, test } from 'vitest';
import { openFixture } from '../../conformance/store-fixture.ts';
import { postgres } from '../kit/postgres-places.ts';
import { rawClient } from '../kit/raw-client.ts';

test('an idle bucket that another process is about to close is not removed, and nobody waits for it', async () => {
  const { store, clock } = await openFixture(postgres);
  const idle = { bucket: 'idle', key: '' };
  await store.closeRate(idle, { until: clock.now() + 1_000, now: clock.now() });
  clock.advance(3_602_000);
  const until = clock.now() + 60_000;
  const other = await rawClient(store);
  await other.query(
    `begin; update rate_buckets set closed_until = ${until * 1_000}, idle_at = ${until * 1_000}`,
  );

  await store.takeRates([{ bucket: 'new', key: '', delivery: 'd1', intervalUs: 60_000_000, burst: 1 }]);
  await other.query('commit');

  expect((await store.monitoring()).rates.closed).toEqual([{ bucket: 'idle', until }]);
});
