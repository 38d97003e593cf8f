import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SECOND_MS } from '../../src/kernel/time/durations.ts';
import { company } from './kit/people.ts';
import { openWithScenario } from './kit/scenario-setup.ts';
import type { Json } from './kit/test-provider.ts';

/** Valid to 2027-11-21, 10:40 in Brazil. */
const certificate = readFileSync(new URL('certificates/rsa-aes.p12', import.meta.url)).toString('base64');
const LAST_SECOND = '2027-11-22T02:59:59.000Z';

/** The evening of its last day, with the certificate stored and one second left. */
async function openOnLastEvening() {
  const setup = await openWithScenario();
  const { ours, provider } = setup;
  const until = (instant: string) => provider.advanceClock(Date.parse(instant) - provider.clock.now());
  await until('2027-11-21T12:00:00.000Z');
  await ours.post('/v1/companies', company);
  const store = () => ours.post('/v1/companies/1/certificate', { certificate, password: 'segredo' });
  expect((await store()).status).toBe(200);
  await setup.pass(Date.parse(LAST_SECOND) - provider.clock.now());
  return {
    ...setup,
    store,
    status: async () => ((await ours.get('/v1/companies/1')).data['certificate'] as Json)['status'],
    certificateWebhooks: async () =>
      (await ours.webhooks()).filter(({ type }) => type === 'company.certificate.updated'),
  };
}

test('expires a certificate at the midnight after its last day in Brazil', async () => {
  const { status, certificateWebhooks, pass } = await openOnLastEvening();
  expect(await status()).toBe('valid');
  expect(await certificateWebhooks()).toHaveLength(1);

  await pass(1 * SECOND_MS);

  expect(await status()).toBe('expired');
  expect((await certificateWebhooks()).slice(1)).toMatchObject([
    {
      data: {
        certificate: { status: 'expired', expiration_date: '2027-11-21' },
        updated_at: '2027-11-22T03:00:00.000Z',
      },
    },
  ]);
});

test('does not expire a removed certificate', async () => {
  const { ours, status, certificateWebhooks, pass } = await openOnLastEvening();
  await ours.remove('/v1/companies/1/certificate');
  const before = await certificateWebhooks();

  await pass(2 * SECOND_MS);

  expect(await status()).toBe('not_provided');
  expect(await certificateWebhooks()).toEqual(before);
});

test('rejects an expired certificate', async () => {
  const { store, pass } = await openOnLastEvening();
  await pass(1 * SECOND_MS);

  expect(await store()).toMatchObject({ status: 422 });
});
