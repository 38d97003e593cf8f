import { expect, test } from 'vitest';
import { createSigner } from '../kernel/signed-token.ts';
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

test('a plan with a condition that an older version does not know is no plan for it', async () => {
  const key = new Uint8Array(32);
  const signer = await createPlanSigner({ erasureKey: async () => key });
  const request = { action: 'retry', deliveries: { company: '12' } } as const;
  const plan = { id: 'p', request, bounds: { at: MADE_AT, last: null }, items: 1, again: false };

  const token = signer.sign(plan);

  expect(createSigner(key, 'portaria plan').open('plan', token)).toBeUndefined();
  expect(signer.open(token, MADE_AT)).toEqual(plan);
});

test('a plan of a newer form is refused', async () => {
  const key = new Uint8Array(32);
  const signer = await createPlanSigner({ erasureKey: async () => key });
  const token = createSigner(key, 'portaria plan').sign('plan 3', {});
  expect(() => signer.open(token, MADE_AT)).toThrow('of another store or another version');
});
