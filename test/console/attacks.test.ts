/** What others may try against the forms and sessions of the console. */
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import { createRequestAudit } from '../../src/access/audited-request.ts';
import { loopbackVisitor } from '../../src/access/roles.ts';
import type { ConsoleApp, ConsoleDeps } from '../../src/console/console-deps.ts';
import { addForm } from '../../src/console/forms.ts';
import { auditedConsole, startOperations } from '../../src/console/audited-forms.ts';
import { createSignOn } from '../../src/access/sign-on.ts';
import { visitConsole, webhook, type Visit } from './kit/console-browser.ts';

const page = { order: 'newest', limit: 9 } as const;
const TOKEN = 'operators-token-0123456789';

let visit: Visit;

afterEach(() => visit.close());

const ORIGIN = 'http://127.0.0.1:9090';

async function signIn(): Promise<string> {
  const { headers } = await visit.send('/sign-in', { token: TOKEN }, { from: '/sign-in' });
  return headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

async function withFailure(): Promise<void> {
  visit.setup.failing = true;
  await visit.setup.receive(webhook('charge.updated', { id: 7 }));
  await visit.setup.settle();
}

const tokenOf = async () =>
  /name="_token" value="([^"]*)"/u.exec((await visit.open('/failures')).html)?.[1] ?? '';

async function sendRaw(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<number> {
  const length: Record<string, string> =
    body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const response = await visit.setup.request(`${ORIGIN}${path}`, {
    method,
    headers: { host: '127.0.0.1:9090', origin: ORIGIN, ...length, ...headers },
    ...(body !== undefined && { body }),
  });
  return response.status;
}

const dead = async () =>
  (await visit.setup.store.deliveries({ status: 'dead' }, { order: 'newest', limit: 9 })).length;

describe('a sign-in', () => {
  it('that is longer than a token is rejected before it is read', async () => {
    visit = await visitConsole({ token: TOKEN });
    expect((await visit.send('/sign-in', { token: 'x'.repeat(4_096) }, { from: '/sign-in' })).status).toBe(
      413,
    );
  });

  it('waits for no more bytes of unknown senders than a budget', async () => {
    visit = await visitConsole({ token: TOKEN });
    const ends: (() => void)[] = [];
    const slow = () => {
      const body = new ReadableStream({ start: (controller) => void ends.push(() => controller.close()) });
      const headers = { host: '127.0.0.1:9090', origin: ORIGIN, 'content-length': '4096' };
      return visit.setup.request(`${ORIGIN}/sign-in`, {
        ...{ method: 'POST', headers, body, duplex: 'half' },
      });
    };
    const waiting = Array.from({ length: 256 }, slow);
    const { status } = await slow();
    expect(status).toBe(503);
    for (const end of ends) end();
    expect(new Set((await Promise.all(waiting)).map((each) => each.status))).toEqual(new Set([401]));
    expect(await signIn()).not.toBe('');
  });
});

describe('a session', () => {
  it('that was signed out is over for every copy of its cookie, also in another process', async () => {
    visit = await visitConsole({ token: TOKEN });
    const cookie = await signIn();
    const copy = () => sendRaw('GET', '/events', { cookie, accept: 'text/html' });
    expect(await copy()).toBe(200);
    await visit.send('/sign-out', {});
    expect(await copy()).toBe(303);
    const { createSessions } = await import('../../src/console/session.ts');
    const sessions = createSessions(
      { all: TOKEN, view: null },
      { storeId: visit.setup.store.storeId, key: new Uint8Array(32) },
    );
    const session = sessions.visitor(cookie.split('=')[1] ?? '', visit.setup.clock.now())?.session ?? '';
    // The signature is still right: what ends it is in the store, which all processes read.
    expect(await visit.setup.store.isSessionEnded(session)).toBe(true);
  });

  it('does not end those of others', async () => {
    visit = await visitConsole({ token: TOKEN });
    const first = await signIn();
    await signIn();
    await visit.send('/sign-out', {});
    expect(await sendRaw('GET', '/events', { cookie: first, accept: 'text/html' })).toBe(200);
  });

  it('that was signed out is over at a receiver with the same tokens and another store, which cannot know it', async () => {
    visit = await visitConsole({ token: TOKEN });
    const cookie = (await signIn()).split('=')[1] ?? '';
    const { store, clock } = visit.setup;
    const { createSessions } = await import('../../src/console/session.ts');
    const key = await store.erasureKey();
    const sessionsOf = (storeId: string) => createSessions({ all: TOKEN, view: null }, { storeId, key });
    expect(sessionsOf(store.storeId).visitor(cookie, clock.now())?.name).toBe('token');
    expect(sessionsOf('zzzzzz').visitor(cookie, clock.now())).toBeUndefined();
  });

  it('of a process with other tokens is worth nothing', async () => {
    visit = await visitConsole({ token: TOKEN });
    const cookie = await signIn();
    const other = await visitConsole({ token: 'another-token-0123456789' });
    const response = await other.setup.request(`${ORIGIN}/events`, {
      headers: { host: '127.0.0.1:9090', cookie, accept: 'text/html' },
    });
    expect(response.status).toBe(303);
    await other.close();
  });
});

describe('a form', () => {
  it('without its token changes nothing, of any type and by any method', async () => {
    visit = await visitConsole();
    await withFailure();
    const bodies = [
      'delivery=d1',
      '_token=&delivery=d1',
      '--x\r\ncontent-disposition: form-data; name="delivery"\r\n\r\nd1\r\n--x--',
      '{"delivery":"d1","_token":"x"}',
    ];
    for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/json', ''])
      for (const body of bodies)
        expect(await sendRaw('POST', '/failures/retry', { 'content-type': type }, body), body).toBe(403);
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])
      expect(await sendRaw(method, '/failures/retry', {}, 'delivery=d1'), method).toBe(403);
    expect(await dead()).toBe(1);
  });

  it('is not sent by a GET that names another method', async () => {
    visit = await visitConsole();
    await withFailure();
    const token = await tokenOf();
    const override = { 'x-http-method-override': 'POST', 'x-method-override': 'POST' };
    for (const path of [
      `/failures/retry?_token=${token}&delivery=d1&_method=POST`,
      '/failures/retry?_method=POST',
    ])
      expect(await sendRaw('GET', path, { ...override, accept: 'text/html' })).toBe(404);
    expect(await dead()).toBe(1);
  });

  it('with a valid token is rejected from any other origin', async () => {
    visit = await visitConsole();
    await withFailure();
    const body = new URLSearchParams({ _token: await tokenOf(), delivery: 'd1' }).toString();
    for (const headers of [
      { origin: 'null' },
      { origin: 'null', 'sec-fetch-site': 'none' },
      { origin: '' },
      { origin: 'https://127.0.0.1:9090.evil.example' },
      { origin: 'http://127.0.0.1:9090@evil.example' },
      { origin: 'http://127.0.0.1' },
      { origin: ORIGIN, 'sec-fetch-site': 'cross-site' },
      { origin: ORIGIN, 'sec-fetch-site': 'same-site' },
      { origin: ORIGIN, 'sec-fetch-site': 'SAME-ORIGIN' },
    ] as const)
      expect(await sendRaw('POST', '/failures/retry', headers, body), JSON.stringify(headers)).toBe(403);
    expect(await dead()).toBe(1);
  });

  it('is rejected under a name that was rebound to this machine, with any headers', async () => {
    visit = await visitConsole();
    await withFailure();
    const body = new URLSearchParams({ _token: await tokenOf(), delivery: 'd1' }).toString();
    for (const host of ['evil.example:9090', '127.0.0.1.evil.example', 'localhost.evil.example:9090', ''])
      expect(
        await sendRaw(
          'POST',
          '/failures/retry',
          { host, origin: `http://${host}`, 'x-forwarded-host': '127.0.0.1:9090' },
          body,
        ),
        host,
      ).toBe(403);
    expect(await dead()).toBe(1);
  });

  it('of another session is rejected, and the token of a form does not sign in', async () => {
    visit = await visitConsole({ token: TOKEN });
    await signIn();
    const foreign = await tokenOf();
    const cookie = await signIn();
    const body = new URLSearchParams({ _token: foreign, delivery: 'd1' }).toString();
    expect(await sendRaw('POST', '/failures/retry', { cookie }, body)).toBe(403);
    const forged = { cookie: `portaria_session=${foreign}`, accept: 'text/html' };
    expect(await sendRaw('GET', '/events', forged)).toBe(303);
  });

  it('that does not exist needs the role to operate, and is not in the audit as done', async () => {
    visit = await visitConsole({ token: TOKEN, viewToken: 'view-token-0123456789' });
    await visit.send('/sign-in', { token: 'view-token-0123456789' }, { from: '/sign-in' });
    expect((await visit.send('/events/new/action', {})).status).toBe(403);
    await visit.send('/sign-in', { token: TOKEN }, { from: '/sign-in' });
    expect((await visit.send('/events/new/action', {})).status).toBe(404);
    expect(await visit.setup.store.audit({ result: 'done', action: 'unknown' }, page)).toEqual([]);
    expect(await visit.setup.store.audit({ result: 'failed' }, page)).toEqual([]);
  });

  it('is reached by a route that was added as a form only: its permission and audit are known', async () => {
    visit = await visitConsole();
    const started: string[] = [];
    const app: ConsoleApp = new Hono();
    app.use(async (c, next) => {
      c.set('visitor', loopbackVisitor);
      await next();
    });
    const auditor = {
      start: async ({ action }: { readonly action: string }) => {
        started.push(action);
        return Promise.resolve({ end: () => Promise.resolve() });
      },
    } as unknown as ConsoleDeps['auditor'];
    app.use(startOperations(createRequestAudit({ auditor, signOn: createSignOn(null) }, auditedConsole)));
    app.post('/bare', (c) => c.text('reached'));
    addForm(app, '/form/:id', { action: 'retryDeliveries' }, (c) => c.text(c.req.param('id')));

    expect((await app.request('/bare', { method: 'POST' })).status).toBe(404);
    const sent = await app.request('/form/7', { method: 'POST' });
    expect([sent.status, await sent.text()]).toEqual([200, '7']);
    expect(started).toEqual(['retryDeliveries']);
  });
});
