/** People whom a proxy names: oauth2-proxy, Authelia, Cloudflare Access and others send a header. */
import { afterEach, describe, expect, it } from 'vitest';
import type { SignOnSettings } from '../../src/access/sign-on.ts';
import { setUpOps, type OpsSetup } from '../ops/ops-setup.ts';

const TOKEN = 'operators-token-0123456789';
const PROXY = '10.0.0.7';

const singleSignOn: SignOnSettings = {
  header: 'x-forwarded-user',
  proxies: [PROXY, '127.0.0.1', 'fd00::/8'],
  users: new Map([
    ['ana', ['view', 'operate']],
    ['*', ['view']],
  ]),
};

let setup: OpsSetup;

afterEach(() => setup.close());

async function open(options: Parameters<typeof setUpOps>[0] = {}): Promise<void> {
  setup = await setUpOps({ singleSignOn, ...options });
  setup.peer = PROXY;
}

interface Loaded {
  readonly status: number;
  readonly html: string;
  readonly location: string | null;
}

async function get(headers: Readonly<Record<string, string>>, path = '/events'): Promise<Loaded> {
  const response = await setup.request(`http://127.0.0.1:9090${path}`, {
    headers: { host: '127.0.0.1:9090', accept: 'text/html', ...headers },
  });
  return { status: response.status, html: await response.text(), location: response.headers.get('location') };
}

async function post(
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const token = /name="_token" value="([^"]*)"/u.exec((await get(headers)).html)?.[1] ?? '';
  const body = new URLSearchParams({ _token: token, ...fields }).toString();
  const response = await setup.request(`http://127.0.0.1:9090${path}`, {
    method: 'POST',
    body,
    headers: {
      host: '127.0.0.1:9090',
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(Buffer.byteLength(body)),
      ...headers,
    },
  });
  return response.status;
}

const audit = () => setup.store.audit({}, { order: 'oldest', limit: 100 });

describe('a person whom the proxy names', () => {
  it('is signed in, has the roles of the setting, and stands in the audit with the client’s address', async () => {
    await open();
    const headers = { 'x-forwarded-user': 'ana', 'x-forwarded-for': '198.51.100.1, 203.0.113.9' };
    const { status, html } = await get(headers);
    expect(status).toBe(200);
    expect(html).toContain('<span class="who">ana</span>');
    // The proxy signs people out.
    expect(html).not.toContain('action="/sign-out"');

    expect(await post('/failures/retry', { delivery: 'd1' }, headers)).toBe(303);
    expect(await audit()).toMatchObject([
      { actor: 'ana', place: 'console', address: '203.0.113.9', action: 'retryDeliveries', result: 'done' },
    ]);
    expect(JSON.stringify(setup.logged)).not.toContain('"ana"');
  });

  it('without an entry of its own has the roles of everybody', async () => {
    await open();
    const headers = { 'x-forwarded-user': 'bob' };
    expect((await get(headers)).status).toBe(200);
    expect(await post('/failures/retry', { delivery: 'd1' }, headers)).toBe(403);
    expect((await get(headers, '/events/1?unmask=true')).html).toContain('bob does not have the role unmask');
  });

  it('has the same roles at the operators’ API', async () => {
    await open();
    const api = async (name: string, path: string, init: RequestInit = {}) =>
      (
        await setup.request(`http://127.0.0.1:9090${path}`, {
          ...init,
          headers: { 'x-forwarded-user': name, 'content-type': 'application/json' },
        })
      ).status;
    const change = { method: 'POST', body: JSON.stringify({ ids: ['d1'] }) };
    expect(await api('bob', '/api/stats')).toBe(200);
    expect(await api('bob', '/api/deliveries/retry', change)).toBe(403);
    expect(await api('ana', '/api/deliveries/retry', change)).toBe(200);
    expect((await audit()).map(({ actor, place, result }) => [actor, place, result])).toEqual([
      ['bob', 'api', 'rejected'],
      ['ana', 'api', 'done'],
    ]);
  });

  it('may be written in UTF-8', async () => {
    await open();
    const header = Buffer.from('joão.conceição', 'utf8').toString('latin1');
    expect((await get({ 'x-forwarded-user': header })).html).toContain('joão.conceição');
  });

  it('has no name that looks like another', async () => {
    await open();
    for (const [what, name] of Object.entries({
      'a no-break space': 'ana\u00A0',
      'a byte order mark': '\uFEFFana',
      'an em space': 'ana\u2003',
      'a combining grapheme joiner': 'bruno\u034F',
      'a variation selector': 'bruno\uFE0F',
      'a Hangul filler': 'ana\u3164',
      'a half-width Hangul filler': 'ana\uFFA0',
      'a braille blank': 'ana\u2800',
      'a soft hyphen': 'a\u00ADna',
      'letters that are not composed': 'joa\u0303o',
    })) {
      const header = Buffer.from(name, 'utf8').toString('latin1');
      const { status, html } = await get({ 'x-forwarded-user': header });
      expect(status, what).toBe(401);
      expect(html).not.toContain('class="who"');
    }
  });

  it('may be surrounded by spaces and tabs, which a header does not keep', async () => {
    await open();
    expect((await get({ 'x-forwarded-user': ' \tana \t' })).html).toContain('<span class="who">ana</span>');
  });

  it('cannot send the form of another person', async () => {
    await open();
    const foreign = /name="_token" value="([^"]*)"/u.exec(
      (await get({ 'x-forwarded-user': 'bob' })).html,
    )?.[1];
    expect(await post('/failures/retry', { _token: foreign ?? '' }, { 'x-forwarded-user': 'ana' })).toBe(403);
  });

  it('keeps its forms over a restart, and in another process of the same store', async () => {
    await open();
    const { createSessions } = await import('../../src/console/session.ts');
    const { storeId } = setup.store;
    const key = { storeId, key: await setup.store.erasureKey() };
    const none = { all: null, view: null };
    const form = createSessions(none, key).form({ session: 'proxy ana' }, setup.clock.now());
    expect(createSessions(none, key).isForm(form, { session: 'proxy ana' }, setup.clock.now())).toBe(true);
    const other = createSessions(none, { storeId, key: new Uint8Array(32) });
    expect(other.isForm(form, { session: 'proxy ana' }, setup.clock.now())).toBe(false);
  });
});

describe('the header from any other address', () => {
  it('is ignored and reported', async () => {
    await open();
    setup.peer = '10.0.0.8';
    const forged = await get({ 'x-forwarded-user': 'ana', 'x-forwarded-for': PROXY });
    expect([forged.status, forged.location]).toEqual([303, '/sign-in?back=%2Fevents']);
    expect(await audit()).toMatchObject([
      {
        actor: null,
        address: '10.0.0.8',
        action: 'trustHeader',
        result: 'rejected',
        subject: { header: 'x-forwarded-user' },
      },
    ]);
    expect(setup.logged.at(-1)).toMatchObject({
      level: 'warn',
      message: 'a header of single sign-on from 10.0.0.8 was ignored: it is not in PORTARIA_OPS_PROXIES',
    });
  });

  it('changes nothing for a session by a token', async () => {
    await open({ token: TOKEN });
    setup.peer = '10.0.0.8';
    const body = new URLSearchParams({ token: TOKEN }).toString();
    const signedIn = await setup.request('http://127.0.0.1:9090/sign-in', {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': String(body.length),
      },
    });
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const page = await get({ cookie, 'x-forwarded-user': 'ana' });
    expect(page.status).toBe(200);
    expect(page.html).toContain('<span class="who">a user with the full token</span>');
  });

  it('opens nothing of the operators’ API', async () => {
    await open();
    setup.peer = '10.0.0.8';
    for (const path of ['/api/events', '/metrics', '/openapi.json'])
      expect((await get({ 'x-forwarded-user': 'ana' }, path)).status, path).toBe(401);
  });

  it('is reported a few times a minute, however often it comes', async () => {
    await open();
    setup.peer = '10.0.0.8';
    for (let at = 0; at < 50; at += 1) await get({ 'x-forwarded-user': `guess ${String(at)}` });
    setup.clock.advance(60_000);
    await get({});
    await expect.poll(audit).toMatchObject([{ times: 1 }, { times: 49 }]);
  });
});

describe('a request from the proxy', () => {
  it.each([
    ['without a name', {}, 'The proxy sent no header x-forwarded-user'],
    ['with an empty name', { 'x-forwarded-user': '  ' }, 'The proxy sent no header'],
    ['with two names', { 'x-forwarded-user': 'ana, root' }, 'holds no usable name'],
    ['with the name of everybody', { 'x-forwarded-user': '*' }, 'holds no usable name'],
    ['with the name of a token', { 'x-forwarded-user': 'token' }, 'holds no usable name'],
    ['with an escape sequence', { 'x-forwarded-user': 'ana\u00c2\u009b31m' }, 'holds no usable name'],
    [
      'with a direction override',
      { 'x-forwarded-user': Buffer.from('ana\u202enimda').toString('latin1') },
      'holds no usable name',
    ],
    ['with a very long name', { 'x-forwarded-user': 'a'.repeat(201) }, 'holds no usable name'],
    ['with bytes that are no UTF-8', { 'x-forwarded-user': 'ana\u00ff' }, 'holds no usable name'],
  ] as const)('%s is refused, and in the audit', async (_name, headers, why) => {
    await open();
    const { status, html } = await get(headers);
    expect(status).toBe(401);
    expect(html).toContain(why);
    expect(await audit()).toMatchObject([{ action: 'authenticate', result: 'rejected', status: 401 }]);
  });

  it('still takes a token, unless that is set off', async () => {
    await open({ token: TOKEN });
    expect((await get({}, '/sign-in')).html).toContain('type="password"');
    await setup.close();
    await open({ token: TOKEN, tokenSignIn: false });
    expect((await get({}, '/sign-in')).html).not.toContain('type="password"');
    const body = new URLSearchParams({ token: TOKEN }).toString();
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(body.length),
    };
    const signIn = await setup.request('http://127.0.0.1:9090/sign-in', { method: 'POST', body, headers });
    expect(signIn.status).toBe(401);
    // The operators' API still knows the token.
    const stats = { headers: { authorization: `Bearer ${TOKEN}` } };
    expect((await setup.request('http://127.0.0.1:9090/api/stats', stats)).status).toBe(200);
  });

  it('names markup without effect', async () => {
    await open();
    const name = '<script>alert(1)</script>';
    const { html } = await get({ 'x-forwarded-user': name }, '/audit');
    expect(html).not.toContain(name);
    expect(html).toContain('&lt;script&gt;');
  });
});

describe('a change through the proxy', () => {
  const ana = { 'x-forwarded-user': 'ana' };

  const changes = [
    [
      'the public origin',
      { origin: 'https://ops.example', 'x-forwarded-host': 'ops.example', 'x-forwarded-proto': 'https' },
      303,
    ],
    [
      'the last of several forwarded hosts',
      { origin: 'https://ops.example', 'x-forwarded-host': 'evil.example, ops.example' },
      303,
    ],
    [
      'another scheme',
      { origin: 'http://ops.example', 'x-forwarded-host': 'ops.example', 'x-forwarded-proto': 'https' },
      403,
    ],
    ['another host', { origin: 'https://evil.example', 'x-forwarded-host': 'ops.example' }, 403],
    ['another port', { origin: 'https://ops.example:8443', 'x-forwarded-host': 'ops.example' }, 403],
    ['no origin at all', { origin: 'null', 'x-forwarded-host': 'ops.example' }, 403],
    ['another site', { 'sec-fetch-site': 'cross-site', 'x-forwarded-host': 'ops.example' }, 403],
  ] as const;

  it('is checked against the public origin', async () => {
    await open();
    for (const [name, headers, status] of changes)
      expect(await post('/failures/retry', { delivery: 'd1' }, { ...ana, ...headers }), name).toBe(status);
  });

  it('a forwarded host counts from the proxy only', async () => {
    await open({ token: TOKEN });
    setup.peer = '10.0.0.8';
    const headers = { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' };
    expect(await post('/sign-in', { token: TOKEN }, headers)).toBe(403);
  });
});

describe('a proxy on the same machine', () => {
  it.each(['127.0.0.1', '::ffff:127.0.0.1'])('signs in from %s', async (peer) => {
    await open();
    setup.peer = peer;
    expect((await get({ 'x-forwarded-user': 'ana' })).status).toBe(200);
  });

  it('must use a loopback name: a page whose name was rebound can send any header', async () => {
    await open();
    setup.peer = '127.0.0.1';
    const rebound = await get({
      host: 'evil.example:9090',
      'x-forwarded-user': 'ana',
      'x-forwarded-host': 'evil.example',
    });
    expect(rebound.status).toBe(403);
    expect(rebound.html).toContain('as 127.0.0.1 or localhost');
    const api = { host: 'evil.example:9090', 'x-forwarded-user': 'ana' };
    expect((await get(api, '/api/events')).status).toBe(401);
  });
});

it('a network of IPv6 is a proxy, too', async () => {
  await open();
  setup.peer = 'fd12::7';
  expect((await get({ 'x-forwarded-user': 'ana' })).status).toBe(200);
  setup.peer = 'fe80::7';
  expect((await get({ 'x-forwarded-user': 'ana' })).status).toBe(303);
});

it('without a token nobody comes in but by the proxy, not even from this machine', async () => {
  await open({ singleSignOn: { ...singleSignOn, proxies: [PROXY] } });
  setup.peer = '127.0.0.1';
  expect((await get({})).location).toBe('/sign-in?back=%2Fevents');
  expect((await get({}, '/sign-in')).html).toContain('through the proxy');
  expect((await get({}, '/api/stats')).status).toBe(401);
});
