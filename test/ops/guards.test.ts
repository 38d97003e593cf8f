import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openOpsDesk, type OpsDesk } from './ops-desk.ts';

let desk: OpsDesk;

afterEach(() => desk.close());

const json = { 'content-type': 'application/json' };

describe('without a token', () => {
  beforeEach(async () => {
    desk = await openOpsDesk();
  });

  it.each(['localhost', 'LOCALHOST:9090', '127.0.0.1', '127.0.0.1:9090', '[::1]', '[::1]:9090'])(
    'answers to the name %s',
    async (host) => {
      expect((await desk.request('/api/stats', { headers: { host } })).status).toBe(200);
    },
  );

  it.each([
    'evil.example',
    'evil.example:9090',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '192.168.0.7:9090',
    '[::2]',
    '',
  ])('refuses the name "%s"', async (host) => {
    for (const path of ['/api/stats', '/metrics', '/openapi.json', '/nowhere']) {
      const response = await desk.request(path, { headers: { host } });
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ error: 'Forbidden' });
    }
  });

  it('goes by the address when there is no Host header', async () => {
    expect((await desk.request('http://127.0.0.1:9090/api/stats')).status).toBe(200);
    expect((await desk.request('http://evil.example/api/stats')).status).toBe(403);
  });

  it('answers probes under any name', async () => {
    for (const path of ['/healthz', '/readyz'])
      expect((await desk.request(path, { headers: { host: '10.0.0.5:9090' } })).status).toBe(200);
  });
});

describe('with a token', () => {
  beforeEach(async () => {
    desk = await openOpsDesk({ token: 's3cret-token' });
  });

  it('answers who shows it, by whatever name', async () => {
    for (const authorization of ['Bearer s3cret-token', 'bearer s3cret-token'])
      expect(
        (await desk.request('/api/stats', { headers: { authorization, host: 'ops.example' } })).status,
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
      const response = await desk.request(path, { headers });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(await response.json()).toMatchObject({ error: 'Unauthorized' });
    }
    const change = await desk.request('/api/machines/rebuild', {
      method: 'POST',
      headers: { ...headers, ...json },
      body: '{}',
    });
    expect(change.status).toBe(401);
  });

  it('lets probes through', async () => {
    for (const path of ['/healthz', '/readyz']) expect((await desk.request(path)).status).toBe(200);
  });
});

describe('a request for a change', () => {
  beforeEach(async () => {
    desk = await openOpsDesk();
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
      const response = await desk.request(path, { method: 'POST', headers, body: '{}' });
      expect(response.status).toBe(415);
      expect(await response.json()).toMatchObject({ error: 'Unsupported Media Type' });
    }
  });

  it('takes parameters of the content type', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect(
      (await desk.request('/api/quarantine/release', { method: 'POST', headers, body: '{}' })).status,
    ).toBe(200);
  });

  it('is refused when it is not JSON', async () => {
    const response = await desk.request('/api/deliveries/retry', {
      method: 'POST',
      headers: json,
      body: '{',
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: 'Bad Request' });
  });

  it('is refused when it is larger than any could be', async () => {
    const body = JSON.stringify({ ids: Array.from({ length: 200_000 }, (_, at) => `d${at}`) });
    const response = await desk.request('/api/deliveries/retry', {
      method: 'POST',
      headers: { ...json, 'content-length': String(body.length) },
      body,
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: 'Content Too Large' });
  });
});

describe('what is not there', () => {
  beforeEach(async () => {
    desk = await openOpsDesk();
  });

  it('is answered 404 as JSON', async () => {
    expect(await desk.get('/api/nothing')).toMatchObject({
      status: 404,
      body: {
        error: 'Not Found',
        message: 'There is no GET /api/nothing; /openapi.json lists all routes',
      },
    });
  });

  it('is 404 whatever the method and the content', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'BREW']) {
      const response = await desk.request('/api/nothing', { method });
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
    const response = await desk.request(path, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allowed]);
    expect(await response.json()).toEqual({
      error: 'Method Not Allowed',
      message: `${path} does not support ${method}; it supports ${allowed}`,
    });
  });

  it('is not what HEAD asks for where GET is', async () => {
    expect((await desk.request('/api/stats', { method: 'HEAD' })).status).toBe(200);
  });

  it('includes the public port’s path', async () => {
    expect((await desk.post('/webhooks', {})).status).toBe(404);
  });

  it('is never kept by a cache', async () => {
    for (const path of ['/api/events', '/api/nothing', '/metrics'])
      expect((await desk.request(path)).headers.get('cache-control')).toBe('no-store');
  });
});
