import { expect, test } from 'vitest';
import { cnpjs } from '../kit/people.ts';
import { NOW } from '../kit/test-provider.ts';
import { openWithControls } from './control-setup.ts';

/** Records three webhooks; the first two are dead. */
async function openWithDeadOnes() {
  const setup = await openWithControls();
  const { ours, provider } = setup;
  for (const tax_id of cnpjs.slice(0, 3)) await ours.post('/v1/companies', { name: 'A', tax_id });
  await provider.query
    .updateTable('webhook_deliveries')
    .set({ status: 'dead', attempts: 8, failure: 'status 500' })
    .where('id', 'in', [1, 2])
    .execute();
  const statuses = async () =>
    (await provider.query.selectFrom('webhook_deliveries').select('status').orderBy('id').execute()).map(
      ({ status }) => status,
    );
  return { ...setup, statuses };
}

test('lists dead webhooks in pages, with their reasons', async () => {
  const { getControl, ours } = await openWithDeadOnes();

  const { rows } = await getControl('/webhooks/dead?limit=1');

  expect(rows).toEqual([
    {
      id: 1,
      organization: ours.organization,
      url: 'http://receiver.example/Ours',
      type: 'company.created',
      attempts: 8,
      reason: 'status 500',
      recorded_at: NOW,
      ended_at: NOW,
    },
  ]);
  expect((await getControl('/webhooks/dead?after=1')).rows.map(({ id }) => id)).toEqual([2]);
  expect((await getControl('/webhooks/dead?after=2')).rows).toEqual([]);
});

test('resends one or all', async () => {
  const { postControl, getControl, statuses } = await openWithDeadOnes();

  expect((await postControl('/webhooks/dead/2/resend')).data).toEqual({ resent: 1 });
  expect(await statuses()).toEqual(['dead', 'aside', 'pending']);
  expect((await postControl('/webhooks/dead/resend')).data).toEqual({ resent: 1 });
  expect(await statuses()).toEqual(['aside', 'aside', 'pending']);
  expect((await getControl('/webhooks')).data).toEqual({
    pending: 1,
    aside: 2,
    dead: 0,
    lost: 0,
    delivered: 0,
  });
});

test.each([
  ['POST', '/webhooks/dead/3/resend', 409, 'Webhook 3 is not dead'],
  ['POST', '/webhooks/dead/99/resend', 404, 'Webhook with id 99 not found'],
  ['GET', '/webhooks/dead?limit=101', 400, 'limit: expected 100 or less'],
  ['GET', '/webhooks/dead?page=2', 400, 'unknown parameter: page; this endpoint has after, limit'],
])('responds to %s %s with %i: %s', async (method, path, status, message) => {
  const { request } = await openWithDeadOnes();

  expect(await request(method, `/control${path}`)).toMatchObject({ status, body: { message } });
});
