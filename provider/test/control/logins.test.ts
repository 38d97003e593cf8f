import { expect, test } from 'vitest';
import { company, cpfs, user } from '../people.ts';
import { loggedIn, type Json } from '../test-provider.ts';
import { openControlWorld } from './control-world.ts';

async function openWithOwners() {
  const world = await openControlWorld();
  const { ours, drive, told } = world;
  await drive('/scenario/pause');
  await ours.post('/v1/companies', { ...company, login_username: cpfs[0] });
  await ours.post('/v1/users', user);
  await told();
  return world;
}

const words = (events: readonly { readonly type: string; readonly data: Json }[]) =>
  events.map(({ type, data }) =>
    [type.replace(/^.*[.]login[.]/u, ''), data['step'], data['attempt']]
      .filter((word) => word != null)
      .map(String)
      .join(' '),
  );

test('starts an attempt and fails it at its present step, with the reason', async () => {
  const { drive, told } = await openWithOwners();

  expect((await drive('/companies/1/login/start')).data).toMatchObject({
    id: 1,
    login: { status: 'processing', step: null },
  });
  const { data } = await drive('/companies/1/login/fail', { error: 'Portal fora do ar' });

  expect(data).toMatchObject({ login: { status: 'fail', connected: false } });
  const events = await told();
  expect(words(events)).toEqual(['started 1', 'failed 1']);
  expect(events[1]?.data).toMatchObject({ error: 'Portal fora do ar' });
});

test.each([
  ['companies', 'otp', ['credentials 1', 'username 1', 'password 1', 'otp 1']],
  ['companies', 'credentials', ['credentials 1']],
  ['companies', 'password', ['credentials 1', 'username 1', 'password 1']],
] as const)('%s: a login fails at %s, on its usual way there', async (path, step, way) => {
  const { drive, told } = await openWithOwners();

  expect((await drive(`/${path}/1/login/fail`, { step })).data).toMatchObject({
    login: { status: 'fail', step },
  });
  expect(words(await told())).toEqual([
    'started 1',
    ...way.map((each) => `step.updated ${each}`),
    `failed ${step} 1`,
  ]);
});

test('does the same for a user, without an event for the failure', async () => {
  const { drive, told } = await openWithOwners();

  expect((await drive('/users/1/login/fail', { step: 'otp' })).data).toMatchObject({
    login: { status: 'fail', step: 'otp' },
  });
  expect(words(await told())).toEqual([
    'started 1',
    'step.updated credentials 1',
    'step.updated password 1',
    'step.updated otp 1',
  ]);
});

test('completes a login and ends its session', async () => {
  const { drive, told } = await openWithOwners();

  expect((await drive('/users/1/login/succeed')).data).toMatchObject({
    login: { status: 'success', step: 'completed', connected: true },
  });
  expect((await drive('/users/1/login/disconnect')).data).toMatchObject({
    login: { status: 'success', connected: false },
  });
  expect(words(await told())).toEqual([
    'started 1',
    'step.updated credentials 1',
    'step.updated password 1',
    'succeeded completed 1',
    'connected completed',
    'disconnected completed',
  ]);
});

test('completes an attempt from its present step', async () => {
  const { drive, told } = await openWithOwners();
  await drive('/steps/company-login/1/run');
  await drive('/steps/company-login/1/run');
  await told();

  await drive('/companies/1/login/fail', { step: 'username' });

  expect(words(await told())).toEqual(['step.updated username 1', 'failed username 1']);
});

test.each([
  ['fail', undefined, 'No login attempt is running: start one first'],
  ['fail', { step: 'certificate' }, 'step: a login by username has no step certificate, only credentials'],
  ['disconnect', undefined, 'There is no session: one begins when a login succeeds'],
])('responds 409 to %s with %o: %s', async (verb, body, message) => {
  const { drive, told } = await openWithOwners();

  const answer = await drive(`/companies/1/login/${verb}`, body);

  expect(answer.status).toBe(409);
  expect(answer.body['message']).toContain(message);
  expect(await told()).toEqual([]);
});

test('rejects a failure at an earlier step', async () => {
  const { ours, provider, drive } = await openWithOwners();
  await drive('/companies/1/login/start');
  await provider.query
    .updateTable('logins')
    .set({ step: 'password' })
    .where('owner_kind', '=', 'company')
    .execute();

  expect(await drive('/companies/1/login/fail', { step: 'username' })).toMatchObject({
    status: 409,
    body: { message: 'step: the attempt is at password already; fail it there or later' },
  });
  expect(await drive('/companies/1/login/start')).toMatchObject({ status: 409 });
  expect((await ours.get('/v1/companies/1')).data).toMatchObject({ login: { status: 'processing' } });
});

test.each([
  ['/companies/99/login/start', undefined, 404, 'Company with id 99 not found'],
  ['/users/99/sne/status', { status: 'active' }, 404, 'User with id 99 not found'],
  ['/users/x/login/start', undefined, 400, 'id: expected a whole number'],
  ['/users/1/login/fail', { step: 'face' }, 400, 'step: expected one of "credentials"'],
  ['/users/1/login/fail', { reason: 'x' }, 400, 'unknown parameter: reason; this endpoint has step, error'],
  ['/users/1/sne/status', { status: 'pending' }, 400, 'status: expected one of "active"'],
])('responds to %s with %o by %i: %s', async (path, body, status, message) => {
  const { drive } = await openWithOwners();

  const answer = await drive(path, body);

  expect(answer.status).toBe(status);
  expect(answer.body['message']).toContain(message);
});

test.each([
  ['companies', 'company', ['company.sne.updated']],
  ['users', 'user', []],
] as const)('the SNE of %s answers what was asked, and nothing else', async (path, kind, events) => {
  const world = await openWithOwners();
  const { ours, drive, told } = world;
  await loggedIn(world, kind, 1);
  await ours.post(`/v1/${path}/1/sne`);
  await told();

  expect((await drive(`/${path}/1/sne/status`, { status: 'unavailable' })).data).toMatchObject({
    sne: { status: 'unavailable' },
  });
  expect((await told()).map(({ type }) => type)).toEqual(events);
  expect(await drive(`/${path}/1/sne/status`, { status: 'active' })).toMatchObject({
    status: 409,
    body: {
      message: 'An SNE registration with status unavailable cannot become active: its status is final',
    },
  });
});
