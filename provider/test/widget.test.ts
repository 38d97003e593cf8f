import { expect, test } from 'vitest';
import { cpfs, user } from './kit/people.ts';
import { openTestProvider, type Client } from './kit/test-provider.ts';

const signIn = (client: Client, body: object = {}) =>
  client.post('/v1/widgets/users/sign-in', {
    widget_uid: client.widget,
    external_uid: 'motorista-1',
    ...body,
  });

test('each sign-in returns its own address of the login application', async () => {
  const { ours } = await openTestProvider();

  const first = await signIn(ours, { tax_id: cpfs[0], phone: '+5511987654321' });
  const second = await signIn(ours);

  expect([first.status, Object.keys(first.body)]).toEqual([200, ['redirect_url']]);
  expect(first.body['redirect_url']).toMatch(/^http:\/\/provider\.example\/login\/widget\/[\w-]{20,}$/);
  expect(second.body['redirect_url']).not.toBe(first.body['redirect_url']);
});

test.each([
  ['no external_uid', { external_uid: undefined }, /^external_uid: is required/],
  ['no widget_uid', { widget_uid: undefined }, /^widget_uid: is required/],
  ['a wrong CPF', { tax_id: '52998224724' }, /^tax_id: is not a valid CPF/],
  ['a phone without plus', { phone: '5511987654321' }, /^phone: is not a valid phone number/],
  ['a phone of zeros', { phone: '+5511000000000' }, /^phone: is not a valid phone number/],
  ['a phone number that is too short', { phone: '+5511' }, /^phone: is not a valid phone number/],
])('rejects %s', async (_, body, message) => {
  const { ours } = await openTestProvider();

  const response = await signIn(ours, body);

  expect(response).toMatchObject({ status: 400, body: { error: 'Bad Request' } });
  expect(response.body['message']).toMatch(message);
});

test('rejects an unknown widget and that of another organization alike', async () => {
  const { ours, theirs } = await openTestProvider();
  const refused = {
    status: 404,
    body: { error: 'Not Found', message: 'Widget not found or does not belong to this organization' },
  };

  expect(await signIn(ours, { widget_uid: 'wgt_none' })).toMatchObject(refused);
  expect(await signIn(ours, { widget_uid: theirs.widget })).toMatchObject(refused);
});

test('a registered CPF does not change', async () => {
  const { ours, theirs } = await openTestProvider();
  await signIn(ours);
  await signIn(ours, { tax_id: cpfs[0] });

  expect(await signIn(ours, { tax_id: cpfs[1] })).toMatchObject({ status: 409, body: { error: 'Conflict' } });
  expect(await signIn(ours)).toMatchObject({ status: 200 });
  expect(await signIn(ours, { tax_id: cpfs[0] })).toMatchObject({ status: 200 });
  expect(await signIn(ours, { external_uid: 'motorista-2', tax_id: cpfs[1] })).toMatchObject({ status: 200 });
  expect(await signIn(theirs, { tax_id: cpfs[1] })).toMatchObject({ status: 200 });
});

test('uses the CPF of the individual user with the same identifier', async () => {
  const { ours } = await openTestProvider();
  await ours.post('/v1/users', { ...user, external_uid: 'motorista-1' });

  expect(await signIn(ours, { tax_id: cpfs[1] })).toMatchObject({ status: 409 });
  expect(await signIn(ours, { tax_id: cpfs[0] })).toMatchObject({ status: 200 });
});
