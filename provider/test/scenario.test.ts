import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/kernel/time/durations.ts';
import { addAnttViolation } from '../antt-violations/change-antt-violation.ts';
import { addCharge } from '../charges/change-charge.ts';
import type { Change } from '../change.ts';
import { catalogue, isEventKind } from '../../src/contract/catalogue.ts';
import { addTrafficViolation } from '../traffic-violations/change-traffic-violation.ts';
import { openProvider } from '../open-provider.ts';
import { findOrCreateOrganization } from '../organizations/organization.ts';
import { startScenario } from '../scenario/start-scenario.ts';
import { addUser } from '../users/change-user.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { testContext } from '../../src/testing/test-context.ts';
import { barcodeFits, pixFits } from '../../test/support/webhooks/payment-codes.ts';
import { createWorkspace } from '../../test/support/workspace.ts';
import { eventually } from '../../test/support/eventually.ts';
import { cnpjs, company, cpfs, user } from './kit/people.ts';
import { openWithScenario } from './kit/scenario-setup.ts';
import type { Json } from './kit/test-provider.ts';

type Setup = Awaited<ReturnType<typeof openWithScenario>>;

const antt = { type: 'rntrc', status: 'pending', amount: 550 } as const;
const payable = { status: 'pending', payable: 1, amount: 195.23 } as const;
const charge = { type: 'fee', status: 'pending', amount: 92.41, due_date: '2026-03-31' } as const;

async function eventsOf({ ours }: Setup, family: string) {
  return (await ours.webhooks()).filter(({ type }) => type.startsWith(family));
}

test('requests payment slips of charges, then issues, rejects or fails them, with an event for each step', async () => {
  const setup = await openWithScenario();
  const { ours, provider, pass } = setup;
  await ours.post('/v1/companies', company);
  for (let id = 1; id <= 40; id += 1) {
    await provider.change(ours.organization, (change) => addCharge(change, { ...charge, company_id: 1 }));
    await ours.post(`/v1/charges/${String(id)}/payment-slips`);
  }
  await pass(10 * MINUTE_MS);

  const { rows } = await ours.get('/v1/charges/payment-slips?pagination[size]=100');
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['issued', 'rejected', 'failed']));
  for (const slip of rows) {
    if (slip['status'] === 'issued') {
      expect(barcodeFits(String(slip['barcode']))).toBe(true);
      expect(slip['amount']).toBe(92.41);
    } else expect(slip['status_reason']).toEqual(expect.any(String));
    const statuses = (await eventsOf(setup, 'charge.payment-slip'))
      .filter(({ data }) => data['id'] === slip['id'])
      .map(({ data }) => data['status']);
    expect(statuses[0]).toBe('pending');
    expect(statuses.at(-1)).toBe(slip['status']);
    if (slip['status'] !== 'failed') expect(statuses).toEqual(['pending', 'requested', slip['status']]);
  }
});

test.each([
  ['antt/violations', (change: Change) => addAnttViolation(change, { ...antt, company_id: 1 })],
  ['traffic-violations', (change: Change) => addTrafficViolation(change, { ...payable, company_id: 1 })],
] as const)('issues payment slips of %s with a valid barcode or PIX code', async (family, add) => {
  const { ours, provider, pass } = await openWithScenario();
  await ours.post('/v1/companies', company);
  for (let id = 1; id <= 20; id += 1) {
    await provider.change<unknown>(ours.organization, add);
    await ours.post(`/v1/${family}/${String(id)}/tickets`);
  }
  await pass(10 * MINUTE_MS);

  const { rows } = await ours.get(`/v1/${family}/tickets?filters[status][$eq]=issued`);
  const by = (method: string) => rows.filter((slip) => slip['payment_method'] === method);
  expect(by('pix')).not.toEqual([]);
  expect(by('bank_slip')).not.toEqual([]);
  for (const { pix } of by('pix')) expect(pixFits(String(pix))).toBe(true);
  for (const { barcode, pix } of by('bank_slip')) {
    expect(barcodeFits(String(barcode))).toBe(true);
    expect(pix).toBeNull();
  }
});

test('signs companies and users in, with all events of the contract, within the limits', async () => {
  const setup = await openWithScenario();
  const { ours, pass } = setup;
  for (const tax_id of cnpjs)
    await ours.post('/v1/companies', { name: 'A', tax_id, login_username: cpfs[0] });
  for (const tax_id of cpfs) await ours.post('/v1/users', { name: 'B', tax_id });
  await pass(5 * DAY_MS);

  const events = (await eventsOf(setup, '')).filter(({ type }) => type.includes('.login.'));
  expect([...new Set(events.map(({ type }) => type))].sort()).toEqual([
    'company.login.connected',
    'company.login.disconnected',
    'company.login.failed',
    'company.login.started',
    'company.login.step.updated',
    'company.login.succeeded',
    'user.login.connected',
    'user.login.disconnected',
    'user.login.started',
    'user.login.step.updated',
    'user.login.succeeded',
  ]);
  for (const { type, data } of events) {
    expect(isEventKind(type) && catalogue[type].schema.safeParse(data).success).toBe(true);
    // A success carries the attempt of the step before it.
    const most = { password: 3, otp: 5, completed: 5 }[String(data['step'])] ?? 1;
    expect(Number(data['attempt'] ?? 1)).toBeLessThanOrEqual(most);
  }
  const instants = events.map(({ data }) => String(data['occurred_at']));
  expect(instants).toEqual([...instants].sort());
});

test('waits for credentials before a company signs in', async () => {
  const { ours, pass } = await openWithScenario();
  await ours.post('/v1/companies', company);
  const login = async () => (await ours.get('/v1/companies/1')).data['login'] as Json;
  await pass(1 * DAY_MS);
  expect(await login()).toMatchObject({ status: 'incomplete', step: 'credentials' });

  await ours.put('/v1/companies/1', { login_username: cpfs[0] });
  await pass(5 * SECOND_MS);
  expect(await login()).toMatchObject({ status: 'processing' });
});

test('decides SNE sign-ups and cancellations', async () => {
  const setup = await openWithScenario();
  const { ours, pass } = setup;
  const statusOf = async () => ((await ours.get('/v1/users/1')).data['sne'] as Json)['status'];
  await ours.post('/v1/users', user);
  await pass(2 * MINUTE_MS);
  await ours.post('/v1/users/1/sne');
  expect(await statusOf()).toBe('pending');
  await pass(2 * MINUTE_MS);
  expect(await statusOf()).toBe('active');
  await ours.remove('/v1/users/1/sne');
  expect(await statusOf()).toBe('canceling');
  await pass(2 * MINUTE_MS);
  expect(await statusOf()).toBe('inactive');
});

test('runs no step of a removed record, or of one that a request has changed', async () => {
  const { ours, pass, provider, logged } = await openWithScenario();
  await ours.post('/v1/users', user);
  await ours.remove('/v1/users/1');
  await ours.post('/v1/companies', company);
  await provider.change(ours.organization, (change) => addCharge(change, { ...charge, company_id: 1 }));
  await ours.post('/v1/charges/1/payment-slips');
  await provider.query.updateTable('charge_payment_slips').set({ status: 'failed' }).execute();
  await pass(1 * HOUR_MS);

  const left = await provider.query
    .selectFrom('scheduled_steps')
    .select('process')
    .where('due_at', 'is not', null)
    // Nights come, whatever there is.
    .where('process', '!=', 'day-over')
    .execute();
  expect(left).toEqual([]);
  expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
});

test('repeats the same results for the same seed and requests', async () => {
  async function play(): Promise<unknown> {
    const { ours, pass } = await openWithScenario();
    await ours.post('/v1/companies', { ...company, login_username: cpfs[0] });
    await ours.post('/v1/users', user);
    await pass(2 * DAY_MS);
    return ours.webhooks();
  }

  expect(await play()).toEqual(await play());
});

test('runs steps when they are due', async () => {
  const { ours, clock } = await openWithScenario();
  await ours.post('/v1/users', user);

  await eventually('the user has signed in', async () => {
    clock.advance(1_000);
    const { status } = (await ours.get('/v1/users/1')).data['login'] as Json;
    return status === 'success' || status === 'fail';
  });
});

test('continues after a restart, with the clock where it was', async () => {
  const path = join(createWorkspace().folder, 'provider.db');
  const clock = manualClock('2026-03-10T12:00:00.000Z');
  const { log } = testContext();
  const open = () => {
    const provider = openProvider({ path, clock });
    const scenario = startScenario(provider, log);
    return {
      provider,
      scenario,
      async stop() {
        const stopped = scenario.stop();
        clock.advance(1_000);
        await stopped;
        await provider.close();
      },
    };
  };
  const before = open();
  const organization = await findOrCreateOrganization(before.provider, 'A');
  await before.provider.change(organization, (change) => addUser(change, user));
  await before.scenario.advance(500);
  await before.stop();

  const after = open();
  expect(after.provider.clock.now() - clock.now()).toBe(500);
  await after.scenario.advance(1 * MINUTE_MS);
  const login = await after.provider.query.selectFrom('logins').select('status').executeTakeFirst();
  expect(login?.status).not.toBe('incomplete');
  await after.stop();
});
