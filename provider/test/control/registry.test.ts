import { expect, test } from 'vitest';
import { cpfs, license, user } from '../kit/people.ts';
import { openWithControls } from './control-setup.ts';

test('lists organizations with their widgets', async () => {
  const { getControl, ours } = await openWithControls();

  const { rows } = await getControl('/organizations');

  expect(rows.map(({ name }) => name)).toEqual(['Ours', 'Theirs']);
  expect(rows[0]).toMatchObject({ id: ours.organization, widgets: [ours.widget] });
});

test('adds a widget that users can sign in with', async () => {
  const { postControl, ours } = await openWithControls();

  expect((await postControl('/widgets', { organization: 'Ours', uid: 'wgt_portal' })).data).toEqual({
    uid: 'wgt_portal',
    organization: ours.organization,
  });
  expect(
    await ours.post('/v1/widgets/users/sign-in', { widget_uid: 'wgt_portal', external_uid: 'a' }),
  ).toMatchObject({ status: 200 });
  expect(await postControl('/widgets', { organization: 'Theirs', uid: 'wgt_portal' })).toMatchObject({
    status: 409,
    body: { message: 'uid: widget wgt_portal already exists' },
  });
});

test.each([
  [{}, 400, 'organization: is required, because there are several: Ours, Theirs'],
  [{ organization: 'Nobody' }, 404, 'Organization Nobody not found; GET /control/organizations lists them'],
  [{ organization: 'Ours', uid: 'a b' }, 400, 'uid: expected up to 64 letters, digits, - and _'],
])('rejects a widget of %o with %i: %s', async (body, status, message) => {
  const { postControl } = await openWithControls();

  expect(await postControl('/widgets', body)).toMatchObject({ status, body: { message } });
});

test('adds a licence that a driver can be created from, and replaces it', async () => {
  const { postControl, ours } = await openWithControls();
  const given = { organization: 'Ours', tax_id: cpfs[0], license: '01234567890', name: user.name };

  expect(await ours.post('/v1/drivers', { tax_id: cpfs[0] })).toMatchObject({ status: 404 });
  expect((await postControl('/driver-licenses', { ...given, points: 3 })).data).toMatchObject({
    status: 'Válida',
  });
  const { data } = await ours.post('/v1/drivers', { tax_id: cpfs[0] });
  await postControl('/driver-licenses', { ...given, points: 21, status: 'Suspensa' });

  expect((await ours.get(`/v1/driver-licenses/${String(data['id'])}`)).data).toMatchObject({
    license: '01234567890',
    points: 21,
    status: 'Suspensa',
  });
});

test("stores a user's licence, which the API shows", async () => {
  const { postControl, ours } = await openWithControls();
  await ours.post('/v1/users', user);

  expect((await postControl('/users/1/drivers-license', license)).data).toMatchObject({
    tax_id: user.tax_id,
  });

  expect((await ours.get('/v1/users/1/drivers-license')).data).toMatchObject(license);
});

test.each([
  ['/users/99/drivers-license', license, 404, 'User with id 99 not found'],
  ['/users/1/drivers-license', { ...license, status: 'Boa' }, 400, 'status: expected one of "Válida"'],
  ['/driver-licenses', { organization: 'Ours', tax_id: '1' }, 400, 'tax_id: is not a valid CPF'],
  ['/driver-licenses', { tax_id: cpfs[0] }, 400, 'organization: is required, because there are several'],
])('responds to %s with %o by %i: %s', async (path, body, status, message) => {
  const { postControl, ours } = await openWithControls();
  await ours.post('/v1/users', user);

  const response = await postControl(path, body);

  expect(response.status).toBe(status);
  expect(response.body['message']).toContain(message);
});
