import { expect, test } from 'vitest';
import { createPlanSigner, PLAN_MS } from './signed-plan.ts';

const MADE_AT = 1_000_000;

async function signedPlan() {
  const signer = await createPlanSigner({ erasureKey: async () => new Uint8Array(32) });
  const bounds = { at: MADE_AT, last: null };
  const request = { action: 'retry', deliveries: {} } as const;
  const token = signer.sign({ id: 'p', request, bounds, items: 1, again: false });
  return (now: number) => signer.open(token, now);
}

test('a plan can be started for ten minutes', async () => {
  const open = await signedPlan();
  expect(open(MADE_AT)).toMatchObject({ id: 'p' });
  expect(open(MADE_AT + PLAN_MS - 1)).toMatchObject({ id: 'p' });
  expect(() => open(MADE_AT + PLAN_MS)).toThrow('older than 10 minutes');
});

test('a plan of a process whose clock is five seconds ahead can be started', async () => {
  const open = await signedPlan();
  expect(open(MADE_AT - 5_000)).toMatchObject({ id: 'p' });
  expect(() => open(MADE_AT - 5_001)).toThrow('a process whose clock is ahead');
});
