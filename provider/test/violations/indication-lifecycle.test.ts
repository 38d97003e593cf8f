import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/kernel/time/durations.ts';
import { addTrafficViolation } from '../../traffic-violations/change-traffic-violation.ts';
import { driver, form } from '../kit/indication-setup.ts';
import { openWithScenario } from '../kit/scenario-setup.ts';
import type { Json } from '../kit/test-provider.ts';
import { speeding } from '../kit/violation-setup.ts';

/** Opens a provider with indications for several violations whose deadline is in a week. */
async function openWithIndications(given: object, violations = 60) {
  const setup = await openWithScenario();
  const { ours, provider } = setup;
  for (let id = 1; id <= violations; id += 1) {
    await provider.change(ours.organization, (change) =>
      addTrafficViolation(change, { ...speeding, indication_deadline: '2026-03-17' }),
    );
    expect((await ours.post(`/v1/traffic-violations/${String(id)}/indications`, given)).status).toBe(201);
  }
  async function indications(): Promise<readonly Json[]> {
    const responses = await Promise.all(
      Array.from({ length: violations }, (_, at) =>
        ours.get(`/v1/traffic-violations/${String(at + 1)}/indications`),
      ),
    );
    return responses.flatMap(({ rows }) => rows);
  }
  return {
    ...setup,
    indications,
    having: async (values: Json) =>
      (await indications()).filter((each) =>
        Object.entries(values).every(([name, value]) => each[name] === value),
      ),
    /** The statuses in the webhooks of one indication, in order. */
    emittedStatuses: async (id: unknown) =>
      (await ours.webhooks())
        .filter(({ type, data }) => type.startsWith('traffic-violation.indication') && data['id'] === id)
        .map(({ data }) => data['status']),
  };
}

const kinds = (all: readonly Json[], name = 'status') => new Set(all.map((each) => each[name]));

test('automated indications are accepted, rejected or failed within a day, with webhooks', async () => {
  const { indications, emittedStatuses, pass } = await openWithIndications(driver);
  expect(kinds(await indications())).toEqual(new Set(['pending']));

  await pass(12 * HOUR_MS);

  const all = await indications();
  expect(kinds(all)).toEqual(new Set(['accepted', 'rejected', 'failed', 'pending']));
  expect(all.filter(({ status }) => status === 'accepted').length).toBeGreaterThan(35);
  for (const { id, status, status_reason } of all) {
    expect(await emittedStatuses(id)).toEqual(status === 'pending' ? ['pending'] : ['pending', status]);
    if (status === 'rejected' || status === 'failed') expect(status_reason).toEqual(expect.any(String));
  }
});

test('an indication without a response expires at the midnight after the deadline', async () => {
  const { having, emittedStatuses, pass } = await openWithIndications(driver);
  await pass(7 * DAY_MS + 15 * HOUR_MS - 1);
  const silent = await having({ status: 'pending' });
  expect(silent.length).toBeGreaterThan(0);

  await pass(1);

  const expired = await having({ status: 'expired' });
  expect(expired.map(({ id }) => id)).toEqual(silent.map(({ id }) => id));
  expect(expired[0]).toMatchObject({ updated_at: '2026-03-18T03:00:00.000Z' });
  expect(await emittedStatuses(expired[0]?.['id'])).toEqual(['pending', 'expired']);
  expect(await having({ status: 'pending' })).toEqual([]);
});

test('indications with a document are signed, reviewed and filed; some are refused', async () => {
  const { having, emittedStatuses, pass } = await openWithIndications(form);

  await pass(12 * HOUR_MS);

  const filed = await having({ status: 'filed' });
  expect(filed.length).toBeGreaterThan(35);
  for (const { id, document_status, document_signed_at } of filed) {
    expect(await emittedStatuses(id)).toEqual(['pending', 'review', 'filed']);
    expect([document_status, document_signed_at]).toEqual(['signed', expect.any(String)]);
  }
  const [refused] = await having({ document_status: 'refused' });
  expect(refused).toMatchObject({ status: 'pending', status_reason: 'Signatário não reconhece a infração' });
  expect(await emittedStatuses(refused?.['id'])).toEqual(['pending', 'pending']);
});

test('both signers sign a transfer, one after the other', async () => {
  const { ours, having, pass } = await openWithIndications(
    { ...form, transfer: true, requester_email: 'frota@example.com' },
    5,
  );
  await pass(12 * HOUR_MS);

  const [filed] = await having({ status: 'filed' });
  const id = String(filed?.['id']);
  const { data } = await ours.get(`/v1/traffic-violations/${id}/indications/${id}/document`);
  const { signers } = data['document'] as { signers: readonly Json[] };
  expect(signers.map(({ status, times_viewed }) => [status, times_viewed])).toEqual([
    ['signed', 1],
    ['signed', 1],
  ]);
  expect(String(signers[1]?.['signed_at']) > String(signers[0]?.['signed_at'])).toBe(true);
});

test('an indication with a refused or unsigned document expires with the deadline', async () => {
  const { having, pass } = await openWithIndications(form);

  await pass(8 * DAY_MS);

  expect(await having({ status: 'pending' })).toEqual([]);
  expect(kinds(await having({ status: 'expired' }), 'document_status')).toEqual(
    new Set(['refused', 'expired']),
  );
});

test('a canceled indication does not change again', async () => {
  const { ours, emittedStatuses, pass, logged } = await openWithIndications(form, 1);
  await ours.post('/v1/traffic-violations/1/indications/1/cancel');

  await pass(9 * DAY_MS);

  expect(await emittedStatuses(1)).toEqual(['pending', 'canceled']);
  expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
});
