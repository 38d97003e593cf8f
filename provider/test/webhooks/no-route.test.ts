import { expect, test } from 'vitest';
import { company } from '../kit/people.ts';
import { openTestProvider } from '../kit/test-provider.ts';

async function request(method: string, path: string) {
  const { app } = await openTestProvider();
  const response = await app.request(path, { method });
  const { error } = (await response.json()) as { readonly error: string };
  return { status: response.status, allow: response.headers.get('allow'), error };
}

test.each([
  '/',
  '/v1',
  '/v2/companies',
  '/v1/company',
  '/v1/companies/1/2',
  '/v1/companies//sne',
  '/v1/companies/1//',
])('responds 404 to %s', async (path) => {
  expect(await request('GET', path)).toEqual({ status: 404, allow: null, error: 'Not Found' });
});

test.each([
  ['PATCH', '/v1/companies/1', 'GET, HEAD, PUT'],
  ['DELETE', '/v1/companies', 'GET, HEAD, POST'],
  ['OPTIONS', '/v1/companies/', 'GET, HEAD, POST'],
  ['GET', '/v1/companies/1/sne', 'POST, DELETE'],
  // Matches a fixed path and one with an id.
  ['PUT', '/v1/charges/payment-slips', 'GET, HEAD'],
  ['PUT', '/v1/console/users/sign-in', 'GET, HEAD, POST, DELETE'],
  ['POST', '/openapi.json', 'GET, HEAD'],
])('responds 405 to %s %s', async (method, path, allow) => {
  const response = await request(method, path);

  expect({ ...response, allow: sorted(response.allow) }).toEqual({
    status: 405,
    allow: sorted(allow),
    error: 'Method Not Allowed',
  });
});

test('responds to HEAD as to GET, without the body', async () => {
  const { app, ours } = await openTestProvider();
  await ours.post('/v1/companies', company);

  const response = await app.request('/v1/companies/1', {
    method: 'HEAD',
    headers: { 'x-api-key': ours.key },
  });

  expect([response.status, await response.text()]).toEqual([200, '']);
});

function sorted(allow: string | null): string[] {
  return (allow ?? '').split(', ').sort();
}
