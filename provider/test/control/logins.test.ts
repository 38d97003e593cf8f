import { expect, test } from 'vitest';
import { company, cpfs, user } from '../kit/people.ts';
import { loggedIn, type Json } from '../kit/test-provider.ts';
import { openWithControls } from './control-setup.ts';

async function openWithOwners() {
  const setup = await openWithControls();
  const { ours, postControl, newWebhooks } = setup;
  await postControl('/scenario/pause');
  await ours.post('/v1/companies', { ...company, login_username: cpfs[0] });
  await ours.post('/v1/users', user);
  await newWebhooks();
  return setup;
}

const words = (events: readonly { readonly type: string; readonly data: Json }[]) =>
  events.map(({ type, data }) =>
    [type.replace(/^.*[.]login[.]/u, ''), data['step'], data['attempt']]
      .filter((word) => word != null)
      .map(String)
      .join(' '),
  );

test('starts an attempt and fails it before its first step, with the reason', async () => {
  const { postControl, newWebhooks } = await openWithOwners();

  expect((await postControl('/companies/1/login/start')).data).toMatchObject({
    id: 1,
    login: { status: 'processing', step: null },
  });
  const { data } = await postControl('/companies/1/login/fail', { error: 'Portal fora do ar' });

  expect(data).toMatchObject({ login: { status: 'fail', step: 'credentials' } });
  const events = await newWebhooks();
  expect(words(events)).toEqual(['started 1', 'failed credentials 1']);
  expect(events[1]?.data).toMatchObject({ error: 'Portal fora do ar' });
});

test.each([
  ['companies', 'otp', ['credentials 1', 'username 1', 'password 1', 'otp 1']],
  ['companies', 'credentials', ['credentials 1']],
  ['companies', 'password', ['credentials 1', 'username 1', 'password 1']],
] as const)('%s: a login fails at %s, on its usual way there', async (path, step, way) => {
  const { postControl, newWebhooks } = await openWithOwners();

  expect((await postControl(`/${path}/1/login/fail`, { step })).data).toMatchObject({
    login: { status: 'fail', step },
  });
  expect(words(await newWebhooks())).toEqual([
    'started 1',
    ...way.map((each) => `step.updated ${each}`),
    `failed ${step} 1`,
  ]);
});

test('does the same for a user, without an event for the failure', async () => {
  const { postControl, newWebhooks } = await openWithOwners();

  expect((await postControl('/users/1/login/fail', { step: 'otp' })).data).toMatchObject({
    login: { status: 'fail', step: 'otp' },
  });
  expect(words(await newWebhooks())).toEqual([
    'started 1',
    'step.updated credentials 1',
    'step.updated password 1',
    'step.updated otp 1',
  ]);
});

test('completes a login and ends its session', async () => {
  const { postControl, newWebhooks } = await openWithOwners();

  expect((await postControl('/users/1/login/succeed')).data).toMatchObject({
    login: { status: 'success', step: 'completed', connected: true },
  });
  expect((await postControl('/users/1/login/disconnect')).data).toMatchObject({
    login: { status: 'success', connected: false },
  });
  expect(words(await newWebhooks())).toEqual([
    'started 1',
    'step.updated credentials 1',
    'step.updated password 1',
    'succeeded completed 1',
    'connected completed',
    'disconnected completed',
  ]);
});

test.each([
  ['fail', undefined, 'No login attempt is running: start one first'],
  ['fail', { step: 'certificate' }, 'step: a login by username has no step certificate, only credentials'],
  ['disconnect', undefined, 'There is no session: one begins when a login succeeds'],
])('responds 409 to %s with %o: %s', async (verb, body, message) => {
  const { postControl, newWebhooks } = await openWithOwners();

  const response = await postControl(`/companies/1/login/${verb}`, body);

  expect(response.status).toBe(409);
  expect(response.body['message']).toContain(message);
  expect(await newWebhooks()).toEqual([]);
});

test('rejects a failure at an earlier step', async () => {
  const { ours, provider, postControl } = await openWithOwners();
  await postControl('/companies/1/login/start');
  await provider.query
    .updateTable('logins')
    .set({ step: 'password' })
    .where('owner_kind', '=', 'company')
    .execute();

  expect(await postControl('/companies/1/login/fail', { step: 'username' })).toMatchObject({
    status: 409,
    body: { message: 'step: the attempt is at password already; fail it there or later' },
  });
  expect(await postControl('/companies/1/login/start')).toMatchObject({ status: 409 });
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
  const { postControl } = await openWithOwners();

  const response = await postControl(path, body);

  expect(response.status).toBe(status);
  expect(response.body['message']).toContain(message);
});

test.each([
  ['companies', 'company', ['company.sne.updated']],
  ['users', 'user', []],
] as const)(
  'the SNE registration of %s ends once, with a status that its request allows',
  async (path, kind, events) => {
    const setup = await openWithOwners();
    const { ours, postControl, newWebhooks } = setup;
    await loggedIn(setup, kind, 1);
    await ours.post(`/v1/${path}/1/sne`);
    await newWebhooks();

    expect((await postControl(`/${path}/1/sne/status`, { status: 'unavailable' })).data).toMatchObject({
      sne: { status: 'unavailable' },
    });
    expect((await newWebhooks()).map(({ type }) => type)).toEqual(events);
    expect(await postControl(`/${path}/1/sne/status`, { status: 'active' })).toMatchObject({
      status: 409,
      body: {
        message: 'An SNE registration with status unavailable cannot become active: its status is final',
      },
    });
  },
);

test.each(['companies', 'users'] as const)(
  '%s: an attempt that is completed by hand has no step left',
  async (path) => {
    const { postControl, getControl } = await openWithOwners();
    const kind = path === 'companies' ? 'company' : 'user';
    const scheduled = async () =>
      ((await getControl('/steps')).data as unknown as readonly Json[])
        .map(({ process }) => process)
        .filter((process) => [`${kind}-login`, `${kind}-session`].includes(String(process)));

    await postControl(`/${path}/1/login/start`);
    expect(await scheduled()).toEqual([`${kind}-login`]);
    await postControl(`/${path}/1/login/succeed`);
    expect(await scheduled()).toEqual([`${kind}-session`]);
    await postControl(`/${path}/1/login/disconnect`);
    expect(await scheduled(), 'the session is renewed later').toEqual([`${kind}-login`]);
    await postControl(`/${path}/1/login/start`);
    await postControl(`/${path}/1/login/fail`);
    expect(await scheduled(), 'the login is tried again later').toEqual([`${kind}-login`]);
  },
);
