/** Calls of the provider's API that fail. */
import { expect, test } from 'vitest';
import { ClientError } from '../../src/client/client-error.ts';
import { createClient } from '../../src/client/create-client.ts';
import { cnpjs, company } from '../../provider/test/kit/people.ts';
import { respond, failWith, openClientSetup, rejection, scripted, silent } from './client-setup.ts';

test("an error response becomes a code, with the provider's explanation in `detail` and not in `message`", async () => {
  const { client, clientOf } = await openClientSetup();
  const { id } = await client.companies.create(company);

  const errors = {
    missing: await rejection(client.companies.read(99)),
    taken: await rejection(client.companies.create(company)),
    invalid: await rejection(client.companies.create({ name: 'A', tax_id: '11222333000182' })),
    early: await rejection(client.companies.sne.signUp(id)),
    unknownKey: await rejection(clientOf('nobody').companies.read(id)),
  };

  expect(errors.missing).toMatchObject({
    code: 'not-found',
    operation: 'readCompany',
    status: 404,
    label: 'Not Found',
    detail: 'Company with id 99 not found',
    message: 'readCompany failed with status 404',
  });
  expect(errors.taken).toMatchObject({ code: 'conflict', status: 409, label: 'Conflict' });
  expect(errors.taken).toHaveProperty('detail', expect.stringContaining(cnpjs[0]));
  expect(errors.taken).toHaveProperty('message', expect.not.stringContaining(cnpjs[0]));
  expect(errors.invalid).toMatchObject({ code: 'bad-request', status: 400 });
  expect(errors.early).toMatchObject({ code: 'unprocessable', status: 422 });
  expect(errors.unknownKey).toMatchObject({ code: 'unauthorized', status: 401 });
});

test.each([
  [403, 'forbidden'],
  [429, 'rate-limited'],
  [418, 'refused'],
  [301, 'refused'],
  [500, 'provider-failed'],
  [503, 'provider-failed'],
])('status %i is %s, whatever the body is', async (status, code) => {
  const { client, finish } = scripted([respond(status, '<html>')], { retry: { attempts: 1 } });

  const error = await rejection(finish(client.users.list()));

  expect(ClientError.is(error)).toBe(true);
  expect(error).toMatchObject({ code, status, label: null, detail: null });
});

test('an error response may have a label without a message', async () => {
  const { client, finish } = scripted([respond(404, { error: 'CNH não encontrada' })]);

  expect(await rejection(finish(client.users.driverLicense.read(1)))).toMatchObject({
    code: 'not-found',
    label: 'CNH não encontrada',
    detail: null,
  });
});

test('redirects are not followed, so the key stays with its host', async () => {
  const { client, finish, requests } = scripted([respond(302, '', { location: 'http://elsewhere.example' })]);

  expect(await rejection(finish(client.users.list()))).toMatchObject({ code: 'refused', status: 302 });
  expect(requests).toMatchObject([{ init: { redirect: 'manual' } }]);
});

test('a failed connection and a timeout have their own codes', async () => {
  const once = { retry: { attempts: 1 }, timeoutMs: 2_000 };
  const refused = scripted([failWith('ECONNREFUSED')], once);
  const slow = scripted([silent], once);
  const slowBody = scripted([() => new Response(new ReadableStream())], once);

  expect(await rejection(refused.finish(refused.client.users.list()))).toMatchObject({
    code: 'unreachable',
    status: null,
    begun: false,
    message: 'listUsers received no response: ECONNREFUSED',
  });
  expect(await rejection(slow.finish(slow.client.users.list()))).toMatchObject({
    code: 'timed-out',
    status: null,
    message: 'listUsers timed out: no response within 2000 ms',
  });
  expect(slow.clock.monotonic()).toBe(2_000);
  expect(await rejection(slowBody.finish(slowBody.client.users.list()))).toMatchObject({ code: 'timed-out' });
});

test('the message of a connection error is kept in `cause` only', async () => {
  const quoting = () => {
    throw new Error('no way to /v1/users?filters[tax_id][$eq]=52998224725');
  };
  const { client, finish } = scripted([quoting], { retry: { attempts: 1 } });

  const error = await rejection(finish(client.users.list({ filters: { tax_id: { $eq: '52998224725' } } })));

  expect(error).toMatchObject({ code: 'unreachable', message: 'listUsers received no response: Error' });
  expect(error).toHaveProperty('cause.message', expect.stringContaining('52998224725'));
});

test('a call may have its own time limit', async () => {
  const { client, finish, clock } = scripted([silent], { retry: { attempts: 1 } });

  expect(await rejection(finish(client.users.list({}, { timeoutMs: 50 })))).toMatchObject({
    code: 'timed-out',
  });
  expect(clock.monotonic()).toBe(50);
});

test("a call ends with the reason of the caller's signal, and nothing is sent after that", async () => {
  const { client, requests, clock } = scripted([silent]);
  const controller = new AbortController();
  const reason = new Error('changed my mind');

  const running = rejection(client.users.list({}, { signal: controller.signal }));
  controller.abort(reason);

  expect(await running).toBe(reason);
  expect(await rejection(client.users.list({}, { signal: controller.signal }))).toBe(reason);
  expect(requests).toHaveLength(1);
  expect(requests[0]?.init.signal?.aborted).toBe(true);
  expect(clock.untilNext).toBeNull();
});

test.each([
  ['a body that is not JSON', '<html>hello</html>'],
  ['an empty body', ''],
  ['a list', '[]'],
  ['no data field', { company: {} }],
  ['no record', { data: null }],
])('a success with %s is unreadable', async (_, body) => {
  const { client, finish } = scripted([respond(200, body)]);

  expect(await rejection(finish(client.companies.read(1)))).toMatchObject({
    code: 'unreadable',
    status: null,
  });
});

test('a page without a list of records is unreadable', async () => {
  const { client, finish } = scripted([respond(200, { data: {}, total: 1 })]);

  expect(await rejection(finish(client.companies.list()))).toMatchObject({ code: 'unreadable' });
});

test('invalid options are all listed, and the key is not repeated', () => {
  const make = () => createClient({ url: 'ftp://provider.example', apiKey: 'two words' });

  expect(make).toThrow(/url must be an absolute URL .* apiKey must be printable/);
  expect(make).not.toThrow(/two words/);
  expect(() => createClient({ url: 'http://a:b@provider.example', apiKey: 'k' })).toThrow(
    /must not contain a user name/,
  );
  expect(() => createClient({ url: 'https://provider.example/base/', apiKey: 'k' })).not.toThrow();
});
