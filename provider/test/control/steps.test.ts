import { expect, test } from 'vitest';
import { addCharge } from '../../charges/change-charge.ts';
import { company, cpfs, user } from '../kit/people.ts';
import { openWithControls } from './control-setup.ts';

async function openWithSteps() {
  const setup = await openWithControls();
  const { ours, provider, newWebhooks } = setup;
  await ours.post('/v1/companies', { ...company, login_username: cpfs[0] });
  await ours.post('/v1/users', user);
  await provider.change(ours.organization, (change) =>
    addCharge(change, { company_id: 1, type: 'fee', status: 'pending', amount: 10, due_date: '2026-03-31' }),
  );
  await ours.post('/v1/charges/1/payment-slips');
  await newWebhooks();
  return setup;
}

const names = (rows: readonly Readonly<Record<string, unknown>>[]) =>
  rows.map(({ process, id }) => `${String(process)} ${String(id)}`);

test('lists scheduled steps in the order of their due times', async () => {
  const { getControl, ours } = await openWithSteps();

  const { rows, body } = await getControl('/steps');

  expect(names(rows).sort()).toEqual(
    expect.arrayContaining(['charge-slip 1', 'company-login 1', 'user-login 1']),
  );
  const due = rows.map(({ due_at }) => String(due_at));
  expect(due).toEqual([...due].sort());
  expect(rows.filter(({ organization }) => organization === ours.organization)).toHaveLength(4);
  expect(body).toMatchObject({ pagination: { page: 1, size: 25 }, total: rows.length });
});

test('pages the list, and filters it by process', async () => {
  const { getControl } = await openWithSteps();

  expect(names((await getControl('/steps?process=user-login')).rows)).toEqual(['user-login 1']);
  const { rows, body } = await getControl('/steps?pagination[page]=2&pagination[size]=1');
  expect(rows).toHaveLength(1);
  expect(body['total']).toBeGreaterThan(2);
  expect((await getControl('/steps?process=weather')).body['message']).toContain('process: expected one of');
});

test('runs a step now, and responds with the next one', async () => {
  const { postControl, newWebhooks } = await openWithSteps();

  const response = await postControl('/steps/user-login/1/run');

  expect(response).toMatchObject({ status: 200, data: { process: 'user-login', id: 1 } });
  expect((await newWebhooks()).map(({ type }) => type)).toEqual(['user.login.started']);
});

test('does not run a dropped step', async () => {
  const { request, getControl, newWebhooks, pass } = await openWithSteps();

  expect(await request('DELETE', '/control/steps/charge-slip/1')).toMatchObject({ status: 200 });
  expect(names((await getControl('/steps')).rows)).not.toContain('charge-slip 1');
  await pass(3_600_000);
  expect((await newWebhooks()).filter(({ type }) => type.startsWith('charge.payment-slip'))).toEqual([]);
});

test('drops a step that is no longer possible, and names the reason', async () => {
  const { postControl, getControl, provider } = await openWithSteps();
  await provider.query.deleteFrom('charge_payment_slips').execute();

  expect(await postControl('/steps/charge-slip/1/run')).toMatchObject({
    status: 409,
    body: { message: 'The step is no longer possible and was dropped: Ticket with id 1 not found' },
  });
  expect(names((await getControl('/steps')).rows)).not.toContain('charge-slip 1');
});

test.each(['POST /control/steps/user-sne/1/run', 'DELETE /control/steps/user-sne/1'])(
  '%s: nothing is scheduled there',
  async (line) => {
    const { request } = await openWithSteps();
    const [method = '', path = ''] = line.split(' ');

    expect(await request(method, path)).toMatchObject({
      status: 404,
      body: { message: 'No step user-sne is scheduled for 1; GET /control/steps lists all' },
    });
  },
);
