import { expect, test } from 'vitest';
import { addAnttViolation } from '../../antt-violations/change-antt-violation.ts';
import { addCharge } from '../../charges/change-charge.ts';
import { registerLicense } from '../../driver-licenses/change-driver-license.ts';
import { addTrafficViolation } from '../../traffic-violations/change-traffic-violation.ts';
import { company, cpfs } from '../kit/people.ts';
import { speeding } from '../kit/violation-setup.ts';
import { openWithControls } from './control-setup.ts';

async function openWithRecords() {
  const setup = await openWithControls();
  const { ours, provider, newWebhooks } = setup;
  await ours.post('/v1/companies', company);
  await provider.change(ours.organization, async (change) => {
    await addTrafficViolation(change, { ...speeding, status: 'pending', company_id: 1 });
    await addAnttViolation(change, { company_id: 1, type: 'rntrc', status: 'pending', amount: 550 });
    await addCharge(change, { company_id: 1, type: 'fee', status: 'pending', amount: 92.41 });
    await registerLicense(change, { tax_id: cpfs[0], status: 'Válida' });
  });
  await ours.post('/v1/drivers', { tax_id: cpfs[0] });
  await ours.post('/v1/appeals', {
    user_id: 1,
    reference_object_id: 1,
    reference_object_type: 'traffic_ticket',
  });
  await newWebhooks();
  return setup;
}

test.each([
  ['/traffic-violations/1', 'paid', 'traffic-violation.updated'],
  ['/traffic-violations/1', 'overdue', 'traffic-violation.updated'],
  ['/traffic-violations/1', 'canceled', 'traffic-violation.updated'],
  ['/antt/violations/1', 'paid', 'antt-violation.updated'],
  ['/antt/violations/1', 'jari_appeal', 'antt-violation.updated'],
  ['/charges/1', 'paid', 'charge.updated'],
  ['/charges/1', 'overdue', 'charge.updated'],
])('%s becomes %s, recorded as %s and shown by the API', async (path, status, event) => {
  const { ours, postControl, newWebhooks } = await openWithRecords();

  expect((await postControl(`${path}/status`, { status })).data).toMatchObject({ id: 1, status });

  expect(await newWebhooks()).toMatchObject([{ type: event, data: { id: 1, status } }]);
  expect((await ours.get(`/v1${path}`)).data).toMatchObject({ status });
});

test.each(['accepted', 'rejected', 'deferred'])(
  'changes an appeal to %s and emits no webhook',
  async (status) => {
    const { ours, postControl, newWebhooks } = await openWithRecords();

    expect((await postControl('/appeals/1/status', { status })).data).toMatchObject({ id: 1, status });

    expect((await ours.get('/v1/appeals/1')).body).toMatchObject({ status });
    expect(await newWebhooks()).toEqual([]);
  },
);

test.each([
  [
    '/traffic-violations/1',
    ['overdue'],
    'pending',
    'A violation with status overdue cannot become pending: only paid, canceled, suspended',
  ],
  [
    '/traffic-violations/1',
    ['paid'],
    'canceled',
    'A violation with status paid cannot become canceled: its status is final',
  ],
  [
    '/antt/violations/1',
    [],
    'pending',
    'An ANTT violation with status pending cannot become pending: only paid, overdue',
  ],
  ['/charges/1', ['overdue'], 'pending', 'A charge with status overdue cannot become pending: only paid'],
  ['/charges/1', ['paid'], 'overdue', 'A charge with status paid cannot become overdue: its status is final'],
  [
    '/appeals/1',
    ['deferred'],
    'deferred',
    'An appeal with status deferred cannot become deferred: only accepted, rejected',
  ],
])('rejects a change of %s, after %o, to %s: %s', async (path, before, status, message) => {
  const { postControl, newWebhooks } = await openWithRecords();
  for (const earlier of before) await postControl(`${path}/status`, { status: earlier });
  await newWebhooks();

  const response = await postControl(`${path}/status`, { status });

  expect(response).toMatchObject({ status: 409, body: { error: 'Conflict' } });
  expect(response.body['message']).toContain(message);
  expect(await newWebhooks()).toEqual([]);
});

test.each([
  ['/charges/1/status', { status: 'canceled' }, 400, 'status: expected one of "pending", "paid", "overdue"'],
  ['/charges/1/status', {}, 400, 'status: is required'],
  ['/charges/1/status', [], 400, 'expected object'],
  ['/charges/99/status', { status: 'paid' }, 404, 'Charge with id 99 not found'],
  ['/traffic-violations/99/status', { status: 'paid' }, 404, 'Traffic violation with id 99 not found'],
  ['/antt/violations/99/status', { status: 'paid' }, 404, 'ANTT violation with id 99 not found'],
  ['/appeals/99/status', { status: 'accepted' }, 404, 'Appeal with id 99 not found'],
])('responds to %s with %o by %i: %s', async (path, body, status, message) => {
  const { postControl } = await openWithRecords();

  const response = await postControl(path, body);

  expect(response.status).toBe(status);
  expect(response.body['message']).toContain(message);
});
