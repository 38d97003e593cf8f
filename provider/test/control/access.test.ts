import { request as httpRequest } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { startProvider } from '../../start-provider.ts';
import { allControls } from '../../control/all-controls.ts';
import { systemClock } from '../../../src/kernel/time/clock.ts';
import { testContext } from '../../../src/testing/test-context.ts';
import { openWithControls } from './control-setup.ts';

test.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])('serves %s', async (address) => {
  const { request } = await openWithControls();

  expect(await request('GET', '/control/clock', undefined, { address })).toMatchObject({ status: 200 });
});

test.each(['192.168.0.7', '10.127.0.1', '::ffff:10.0.0.9', 'fe80::1', ''])('rejects %s', async (address) => {
  const { request } = await openWithControls();

  const response = await request('POST', '/control/clock/advance', { by: '1d' }, { address });

  expect(response).toMatchObject({ status: 403, body: { error: 'Forbidden' } });
});

test('ignores headers that claim to be this machine', async () => {
  const { request } = await openWithControls();
  const headers = { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1' };

  expect(
    await request('GET', '/control/clock', undefined, { address: '192.168.0.7', headers }),
  ).toMatchObject({
    status: 403,
  });
});

test.each([
  ['a page of another site', { origin: 'https://evil.example' }, 403],
  ['a page that hides its origin', { origin: 'null' }, 403],
  ['a name that begins like ours', { origin: 'http://localhost.evil.example' }, 403],
  ['another name for this machine', { host: 'rebound.example:4010' }, 403],
  ['no name at all', { host: '' }, 403],
  ['a proxy on this machine', { 'x-forwarded-for': '192.168.0.7' }, 403],
  ['a proxy by the standard', { forwarded: 'for=192.168.0.7' }, 403],
  ['a page on another port', { origin: 'http://localhost:5173' }, 403],
  ['a page on another port, under another name', { origin: 'http://127.0.0.1:4010' }, 403],
  ['a link or an image of another site', { 'sec-fetch-site': 'cross-site' }, 403],
  ['a link or an image on another port', { 'sec-fetch-site': 'same-site' }, 403],
  ['a page of its own', { origin: 'http://localhost:4010', 'sec-fetch-site': 'same-origin' }, 200],
  ['a page of its own, in an old browser', { origin: 'http://localhost:4010' }, 200],
  ['a typed address', { 'sec-fetch-site': 'none' }, 200],
  ['the address instead of the name', { host: '127.0.0.1:4010' }, 200],
  ['the newer address', { host: '[::1]:4010', origin: 'http://[::1]:4010' }, 200],
])('%s: responds to %o with %i', async (_, headers, status) => {
  const { request } = await openWithControls();

  expect(await request('GET', '/control/clock', undefined, { headers })).toMatchObject({ status });
});

test('a program gets all controls as OpenAPI, with parameters and bodies', async () => {
  const { getControl } = await openWithControls();

  const { paths } = (await getControl('')).body as { paths: Record<string, Record<string, object>> };

  expect(Object.values(paths).flatMap((methods) => Object.keys(methods))).toHaveLength(allControls.length);
  expect(paths['/control/charges/{id}/status']?.['post']).toMatchObject({
    summary: 'Charge: set its status',
    tags: ['charges'],
    parameters: [{ in: 'path', name: 'id', required: true }],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { required: ['status'] } } },
    },
  });
  expect(paths['/control/steps']?.['get']).toMatchObject({
    parameters: expect.arrayContaining([expect.objectContaining({ name: 'process' })]),
  });
});

test.each(['/control', '/control/'])('a browser gets a page at %s that reads and uses them', async (path) => {
  const { app } = await openWithControls();
  const headers = { host: 'localhost:4010', accept: 'text/html,application/xhtml+xml' };
  const env = { incoming: { socket: { remoteAddress: '127.0.0.1' } } };

  const response = await app.request(path, { headers }, env);

  expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(response.headers.get('vary')).toBe('accept');
  expect(await response.text()).toContain('data-source="/control"');
});

test('is not part of the OpenAPI document of the API, and has its own 404', async () => {
  const { app, getControl } = await openWithControls();

  const document = (await (await app.request('/openapi.json')).json()) as { paths: object };
  expect(Object.keys(document.paths).filter((path) => !path.startsWith('/v1/'))).toEqual([]);
  expect(await getControl('/weather')).toMatchObject({
    status: 404,
    body: { message: 'unknown path: GET /control/weather; GET /control lists all' },
  });
});

test.each([true, false])('exists only if it is enabled (%s)', async (control) => {
  const { log } = testContext();
  const running = await startProvider({
    path: ':memory:',
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    random: () => 0.5,
    log,
    version: '0.0.0',
    control,
  });
  onTestFinished(() => running.stop());
  const status = (host: string) =>
    new Promise((resolve) => {
      httpRequest(`${running.url}/control/clock`, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });

  expect(await status(new URL(running.url).host)).toBe(control ? 200 : 404);
  expect(await status('rebound.example')).toBe(control ? 403 : 404);
});
