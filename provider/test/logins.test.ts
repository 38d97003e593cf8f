import { expect, test } from 'vitest';
import { catalogue, isEventKind } from '../../src/contract/catalogue.ts';
import type { Change } from '../change.ts';
import {
  disconnectLogin,
  enterLoginStep,
  failLogin,
  startLogin,
  succeedLogin,
  type LoginStep,
} from '../login/change-login.ts';
import { completeSneRequest } from '../sne/complete-sne-request.ts';
import { company, user } from './kit/people.ts';
import { NOW, openTestProvider, TODAY } from './kit/test-provider.ts';

type Step = Exclude<LoginStep, 'completed'>;

async function openWith(kind: 'company' | 'user') {
  const setup = await openTestProvider();
  const { ours, provider, clock } = setup;
  const path = kind === 'company' ? '/v1/companies' : '/v1/users';
  const { data } = await ours.post(path, { ...(kind === 'company' ? company : user), external_uid: 'x' });
  const owner = { kind, id: Number(data['id']) };
  const move = (work: (change: Change) => Promise<void>) => {
    clock.advance(1_000);
    return provider.change(ours.organization, work);
  };
  return {
    ...setup,
    owner,
    path: `${path}/${String(owner.id)}`,
    move,
    start: () => move((change) => startLogin(change, owner)),
    enter: (step: Step) => move((change) => enterLoginStep(change, owner, step)),
    succeed: () => move((change) => succeedLogin(change, owner)),
    fail: () => move((change) => failLogin(change, owner, 'senha recusada')),
    disconnect: () => move((change) => disconnectLogin(change, owner)),
    login: async () => (await ours.get(`${path}/${String(owner.id)}`)).data['login'],
    recorded: async () => (await ours.webhooks()).filter(({ type }) => type.includes('.login.')),
  };
}

test('a login with a rejected password emits each step and connects', async () => {
  const { start, enter, succeed, disconnect, login, recorded } = await openWith('company');

  await start();
  await enter('username');
  await enter('password');
  await enter('password');
  await enter('otp');
  await succeed();
  await disconnect();

  const events = await recorded();
  expect(
    events.map(({ type, data }) => [type, data['step'], data['attempt'] ?? '', data['connected']]),
  ).toEqual([
    ['company.login.started', null, 1, false],
    ['company.login.step.updated', 'username', 1, false],
    ['company.login.step.updated', 'password', 1, false],
    ['company.login.step.updated', 'password', 2, false],
    ['company.login.step.updated', 'otp', 1, false],
    ['company.login.succeeded', 'completed', 1, true],
    ['company.login.connected', 'completed', '', true],
    ['company.login.disconnected', 'completed', '', false],
  ]);
  expect(events[6]?.data).toMatchObject({ connected_at: '2026-03-10T12:00:06.000Z', disconnected_at: null });
  expect(events[7]?.data).toMatchObject({
    connected_at: '2026-03-10T12:00:06.000Z',
    disconnected_at: '2026-03-10T12:00:07.000Z',
    occurred_at: '2026-03-10T12:00:07.000Z',
  });
  expect(await login()).toMatchObject({ status: 'success', connected: false, step: 'completed' });
  for (const { type, data } of events)
    expect(isEventKind(type) && catalogue[type].schema.safeParse(data).success).toBe(true);
});

test('the webhooks of a company carry its CNPJ, those of a user do not', async () => {
  const ofCompany = await openWith('company');
  const ofUser = await openWith('user');
  await ofCompany.start();
  await ofUser.start();

  const common = { external_uid: 'x', service: 'gov_portal', connected: false, step: null, attempt: 1 };
  const at = { occurred_at: '2026-03-10T12:00:01.000Z', uid: expect.stringMatching(/^lg_/) as string };
  expect(await ofCompany.recorded()).toEqual([
    { type: 'company.login.started', data: { id: 1, tax_id: company.tax_id, ...common, ...at } },
  ]);
  expect(await ofUser.recorded()).toEqual([
    { type: 'user.login.started', data: { id: 1, ...common, ...at } },
  ]);
});

test('a failed login stays at its step and emits a webhook for companies only', async () => {
  for (const kind of ['company', 'user'] as const) {
    const { start, enter, fail, login, recorded } = await openWith(kind);
    await start();
    await enter('password');
    await enter('password');
    await fail();

    expect(await login()).toMatchObject({ status: 'fail', connected: false, step: 'password' });
    const last = (await recorded()).at(-1);
    if (kind === 'company')
      expect(last).toMatchObject({
        type: 'company.login.failed',
        data: { step: 'password', attempt: 2, error: 'senha recusada' },
      });
    else expect(last?.type).toBe('user.login.step.updated');
    await start();
    expect(await login()).toMatchObject({ status: 'processing', step: null });
  }
});

test.each(['company', 'user'] as const)(
  'a login of a %s that fails before its first step stays at the credentials',
  async (kind) => {
    const { start, fail, login, recorded } = await openWith(kind);
    await start();
    await fail();

    expect(await login()).toMatchObject({ status: 'fail', connected: false, step: 'credentials' });
    if (kind === 'company')
      expect((await recorded()).at(-1)).toMatchObject({
        type: 'company.login.failed',
        data: { step: 'credentials', attempt: 1 },
      });
  },
);

test.each([
  ['password', 3],
  ['otp', 5],
  ['credentials', 1],
  ['certificate', 1],
] as const)('step %s allows up to %i attempts', async (step, max) => {
  const { start, enter, recorded } = await openWith('company');
  await start();
  for (let attempt = 0; attempt < max; attempt += 1) await enter(step);

  await expect(enter(step)).rejects.toMatchObject({ status: 422 });
  expect((await recorded()).at(-1)?.data).toMatchObject({ step, attempt: max });
});

test('rejects impossible changes and emits nothing', async () => {
  const { start, enter, succeed, fail, disconnect, recorded } = await openWith('company');

  for (const move of [succeed, fail, disconnect, () => enter('otp')])
    await expect(move()).rejects.toMatchObject({ status: 409 });
  await start();
  await expect(start()).rejects.toMatchObject({ status: 409 });
  expect(await recorded()).toHaveLength(1);
});

test('an attempt during a session ends the session first', async () => {
  const { start, succeed, recorded, login } = await openWith('user');
  await start();
  await succeed();
  await start();

  expect((await recorded()).map(({ type }) => type).slice(-2)).toEqual([
    'user.login.disconnected',
    'user.login.started',
  ]);
  expect(await login()).toMatchObject({ connected: false, status: 'processing' });
});

test.each(['company', 'user'] as const)('SNE of a %s: from the sign-up to the results', async (kind) => {
  const { ours, owner, path, move, start, succeed } = await openWith(kind);
  const settle = (status: 'active' | 'inactive' | 'unavailable') =>
    move((change) => completeSneRequest(change, kind, owner.id, status));
  const sne = async () => (await ours.get(path)).data['sne'];
  await start();
  await succeed();

  await expect(settle('active')).rejects.toMatchObject({ status: 409 });
  await ours.post(`${path}/sne`);
  await settle('active');
  expect(await sne()).toEqual({
    status: 'active',
    sign_up_date: TODAY,
    cancel_date: null,
    synced_at: '2026-03-10T12:00:04.000Z',
  });
  await ours.remove(`${path}/sne`);
  await expect(settle('unavailable')).rejects.toMatchObject({ status: 409 });
  await settle('inactive');
  expect(await sne()).toMatchObject({ status: 'inactive', cancel_date: TODAY });
  expect((await ours.webhooks()).filter(({ type }) => type === 'company.sne.updated')).toHaveLength(
    kind === 'company' ? 4 : 0,
  );
  expect((await ours.get(path)).data['updated_at']).not.toBe(NOW);
});
