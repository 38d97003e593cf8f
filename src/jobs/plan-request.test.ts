import { expect, onTestFinished, test } from 'vitest';
import { sampleEvent } from '../../test/conformance/sample-event.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { planRequestOf, planRequestSchema } from './plan-request.ts';

test('a repair is told to machines only until its source has a webhook, unless it says to whom', async () => {
  const store = await openSqliteStore({ path: ':memory:', role: 'owner', clock: manualClock() });
  onTestFinished(() => store.close());
  const toldTo = async (said: object = {}) => {
    const given = planRequestSchema.parse({ action: 'repair', subjects: ['charge:1'], ...said });
    const request = await planRequestOf(store, given);
    return request.action === 'repair' && request.repair.handlers;
  };
  expect(await toldTo()).toBe('machines');
  await store.accept(sampleEvent({ subject: 'charge:1', content: 'a', flags: ['reconciled'] }), []);
  expect(await toldTo()).toBe('machines');
  expect(await toldTo({ told_to: 'none' })).toBe('none');
  await store.accept(sampleEvent({ subject: 'charge:2', content: 'b' }), []);
  expect(await toldTo()).toBe('all');
  expect(await toldTo({ source: 'other' })).toBe('machines');
});
