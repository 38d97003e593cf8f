/** Who is admitted to the operators' API. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setUpOps, type OpsSetup } from './ops-setup.ts';

let setup: OpsSetup;

afterEach(() => setup.close());

const json = { 'content-type': 'application/json' };

describe('without a token', () => {
  beforeEach(async () => {
    setup = await setUpOps();
  });

  it('answers to the names of this machine', async () => {
    for (const host of ['localhost', 'LOCALHOST:9090', '127.0.0.1', '127.0.0.1:9090', '[::1]', '[::1]:9090'])
      expect((await setup.request('/api/stats', { headers: { host } })).status, host).toBe(200);
  });

  it('refuses any other name', async () => {
    for (const host of [
      'evil.example',
      'evil.example:9090',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '192.168.0.7:9090',
      '[::2]',
      '',
    ])
      for (const path of ['/api/stats', '/metrics', '/openapi.json', '/nowhere']) {
        const response = await setup.request(path, { headers: { host } });
        expect(response.status, host).toBe(403);
        expect(await response.json()).toMatchObject({ error: 'Forbidden' });
      }
  });

  it('uses the URL when there is no Host header', async () => {
    expect((await setup.request('http://127.0.0.1:9090/api/stats')).status).toBe(200);
    expect((await setup.request('http://evil.example/api/stats')).status).toBe(403);
  });

  it('responds to probes under any name', async () => {
    for (const path of ['/healthz', '/readyz'])
      expect((await setup.request(path, { headers: { host: '10.0.0.5:9090' } })).status).toBe(200);
  });
});

describe('with a token', () => {
  beforeEach(async () => {
    setup = await setUpOps({ token: 's3cret-token' });
  });

  it('responds to requests with it, under any name', async () => {
    for (const authorization of ['Bearer s3cret-token', 'bearer s3cret-token'])
      expect(
        (await setup.request('/api/stats', { headers: { authorization, host: 'ops.example' } })).status,
      ).toBe(200);
  });

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer s3cret',
    'Bearer s3cret-token2',
    'Bearer S3CRET-TOKEN',
    'Basic s3cret-token',
    's3cret-token',
  ])('answers 401 to authorization %j', async (authorization) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    for (const path of ['/api/stats', '/api/events', '/metrics', '/openapi.json', '/nowhere']) {
      const response = await setup.request(path, { headers });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(await response.json()).toMatchObject({ error: 'Unauthorized' });
    }
    const change = await setup.request('/api/machines/rebuild', {
      method: 'POST',
      headers: { ...headers, ...json },
      body: '{}',
    });
    expect(change.status).toBe(401);
  });

  it('responds to probes without it', async () => {
    for (const path of ['/healthz', '/readyz']) expect((await setup.request(path)).status).toBe(200);
  });
});

describe('a request for a change', () => {
  beforeEach(async () => {
    setup = await setUpOps();
  });

  it.each([
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'multipart/form-data',
  ])('is refused as %s: a foreign page could send that', async (contentType) => {
    const headers: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType };
    for (const path of ['/api/deliveries/retry', '/api/quarantine/release', '/api/machines/rebuild']) {
      const response = await setup.request(path, { method: 'POST', headers, body: '{}' });
      expect(response.status).toBe(415);
      expect(await response.json()).toMatchObject({ error: 'Unsupported Media Type' });
    }
  });

  it('accepts parameters of the content type', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect(
      (await setup.request('/api/quarantine/release', { method: 'POST', headers, body: '{}' })).status,
    ).toBe(200);
  });

  it('is rejected when it is not JSON', async () => {
    const response = await setup.request('/api/deliveries/retry', {
      method: 'POST',
      headers: json,
      body: '{',
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: 'Bad Request' });
  });

  it('is rejected when it is too large', async () => {
    const body = JSON.stringify({ ids: Array.from({ length: 200_000 }, (_, at) => `d${at}`) });
    const response = await setup.request('/api/deliveries/retry', {
      method: 'POST',
      headers: { ...json, 'content-length': String(body.length) },
      body,
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: 'Content Too Large' });
  });
});

describe('an unknown route', () => {
  beforeEach(async () => {
    setup = await setUpOps();
  });

  it('is a 404 as JSON', async () => {
    expect(await setup.get('/api/nothing')).toMatchObject({
      status: 404,
      body: {
        error: 'Not Found',
        message: 'There is no GET /api/nothing; /openapi.json lists all routes',
      },
    });
  });

  it('is 404 for any method and content', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'BREW']) {
      const response = await setup.request('/api/nothing', { method });
      expect([method, response.status]).toEqual([method, 404]);
    }
  });

  it.each([
    ['POST', '/api/events', 'GET'],
    ['DELETE', '/api/events/1', 'GET'],
    ['PUT', '/api/deliveries/retry', 'GET, POST'],
    ['OPTIONS', '/api/stats', 'GET'],
    ['POST', '/healthz', 'GET'],
    ['POST', '/openapi.json', 'GET'],
  ])('is 405 when the path has another method: %s %s', async (method, path, allowed) => {
    const response = await setup.request(path, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allowed]);
    expect(await response.json()).toEqual({
      error: 'Method Not Allowed',
      message: `${path} does not support ${method}; it supports ${allowed}`,
    });
  });

  it('does not include HEAD of a path with GET', async () => {
    expect((await setup.request('/api/stats', { method: 'HEAD' })).status).toBe(200);
  });

  it('includes the public port’s path', async () => {
    expect((await setup.post('/webhooks', {})).status).toBe(404);
  });

  it('is not cached', async () => {
    for (const path of ['/api/events', '/api/nothing', '/metrics'])
      expect((await setup.request(path)).headers.get('cache-control')).toBe('no-store');
  });
});

it('accepts a token outside ASCII as clients send it, in UTF-8', async () => {
  setup = await setUpOps({ token: 'tökén-ção-0123456' });
  const authorization = Buffer.from('Bearer tökén-ção-0123456').toString('latin1');
  expect((await setup.request('/api/stats', { headers: { authorization } })).status).toBe(200);
});
