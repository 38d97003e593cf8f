import { expect, onTestFinished, test } from 'vitest';
import { sampleEvent } from '../../test/conformance/sample-event.ts';
import { defineHandler } from '../handle/define/handler.ts';
import { createRegistry } from '../handle/load/registry.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import { manualClock } from '../testing/manual-clock.ts';
import type { JobDeps } from './job-deps.ts';
import { makePlan } from './make-plan.ts';
import { startPlan } from './start-plan.ts';

test('a replay whose handler takes more kinds since it was planned returns the plan of now', async () => {
  const clock = manualClock();
  const store = await openSqliteStore({ path: ':memory:', role: 'owner', clock });
  onTestFinished(() => store.close());
  await store.accept(sampleEvent({ kind: 'company.updated' }), []);
  await store.accept(sampleEvent({ kind: 'charge.updated', subject: 'charge:1' }), []);
  const depsWith = (on: 'company.updated' | 'charge.updated' | '*') => {
    const registry = createRegistry([defineHandler({ name: 'billing', on, handle: () => undefined })]);
    return { store, clock, registry } as unknown as JobDeps;
  };
  const events = { filter: {}, handlers: ['billing'], ifNotSucceeded: false, target: null };
  const planned = await makePlan(depsWith('company.updated'), { action: 'replay', events });
  const options = { staged: false, rate: null, stopAt: null, requestedBy: 'op' };

  const started = await startPlan(depsWith('*'), planned.token, options);

  expect(planned.items).toBe(1);
  expect(started).toMatchObject({ job: null, more: 1, plan: { items: 2 } });
});
