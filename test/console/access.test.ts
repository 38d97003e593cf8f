import { afterEach, describe, expect, it } from 'vitest';
import { visitConsole, webhook, type Visit } from './kit/console-browser.ts';
import { textOf } from '../support/page-text.ts';

const TOKEN = 'operators-token-0123456789';
const VIEW_TOKEN = 'view-token-0123456789';

let visit: Visit;

afterEach(() => visit.close());

const signIn = (token: string) => visit.send('/sign-in', { token, back: '/events' }, { from: '/sign-in' });

describe('with a token', () => {
  it('leads to the sign-in, and back to the page after it', async () => {
    visit = await visitConsole({ token: TOKEN });
    const { status, location } = await visit.open('/events?kind=charge.*');
    expect([status, location]).toEqual([303, '/sign-in?back=%2Fevents%3Fkind%3Dcharge.*']);
    const signedIn = await signIn(TOKEN);
    expect(signedIn.location).toBe('/events');
    expect((await visit.open('/events')).status).toBe(200);
  });

  it('sets a cookie that scripts and other sites cannot use', async () => {
    visit = await visitConsole({ token: TOKEN });
    const cookie = (await signIn(TOKEN)).headers.get('set-cookie') ?? '';
    expect(cookie).toContain('HttpOnly');
    expect(cookie).toContain('SameSite=Strict');
    expect(cookie).not.toContain(TOKEN);
  });

  it('rejects a wrong token without a session', async () => {
    visit = await visitConsole({ token: TOKEN });
    const rejected = await signIn('guess');
    expect(rejected.status).toBe(401);
    expect(rejected.headers.getSetCookie()).toEqual([]);
    expect((await visit.open('/')).location).toBe('/sign-in?back=%2F');
  });

  it('never leads to another site after the sign-in', async () => {
    visit = await visitConsole({ token: TOKEN });
    const fields = { token: TOKEN, back: '//evil.example' };
    expect((await visit.send('/sign-in', fields, { from: '/sign-in' })).location).toBe('/');
  });

  it('ends a session after 12 hours, and at the sign-out', async () => {
    visit = await visitConsole({ token: TOKEN });
    await signIn(TOKEN);
    await visit.send('/sign-out', {});
    expect((await visit.open('/')).status).toBe(303);
    await signIn(TOKEN);
    visit.setup.clock.advance(12 * 3_600_000);
    expect((await visit.open('/')).status).toBe(303);
  });

  it('accepts no altered or forged session', async () => {
    visit = await visitConsole({ token: TOKEN });
    const cookie =
      /portaria_session=([^;]+)/u.exec((await signIn(TOKEN)).headers.get('set-cookie') ?? '')?.[1] ?? '';
    const [text = '', signature = ''] = cookie.split('.');
    const altered = Buffer.from(
      Buffer.from(text, 'base64url').toString().replace('"token"', '"admin"'),
    ).toString('base64url');
    for (const forged of [
      `${altered}.${signature}`,
      `${text}.`,
      text,
      `${text}.${signature}.x`,
      `${text}.${signature}!!`,
      `${text}.${signature}=`,
      '.',
      'null',
    ]) {
      const other = await visit.setup.request('http://127.0.0.1:9090/', {
        headers: { host: '127.0.0.1:9090', accept: 'text/html', cookie: `portaria_session=${forged}` },
      });
      expect(other.status, forged).toBe(303);
    }
  });
});

describe('a visitor who may only read', () => {
  it('sees no personal data and no action, and the server rejects both', async () => {
    visit = await visitConsole({ token: TOKEN, viewToken: VIEW_TOKEN });
    visit.setup.failing = true;
    await visit.setup.receive(webhook('charge.updated', { id: 7 }));
    await visit.setup.settle();
    await signIn(VIEW_TOKEN);

    const failures = await visit.open('/failures');
    expect(failures.status).toBe(200);
    expect(failures.html).not.toContain('action="/failures/retry"');
    const retry = await visit.send('/failures/retry', { delivery: 'd1' });
    expect(retry.status).toBe(403);
    const [event] = await visit.setup.store.events({}, { order: 'newest', limit: 1 });
    expect((await visit.open(`/events/${event?.id ?? ''}?unmask=true`)).status).toBe(403);
    expect(
      (await visit.setup.store.deliveries({ status: 'dead' }, { order: 'newest', limit: 9 })).length,
    ).toBe(1);
  });

  it('reads what is paused, and is offered no resume', async () => {
    visit = await visitConsole({ token: TOKEN, viewToken: VIEW_TOKEN });
    await signIn(TOKEN);
    const fields = { handler: 'billing', reason: 'the ledger moves', until: '', back: '/handlers' };
    await visit.send('/handlers/pause', fields, { from: '/handlers' });
    const resume = 'href="/handlers/pauses/p1"';
    expect((await visit.open('/handlers/billing')).html).toContain(resume);

    await signIn(VIEW_TOKEN);
    const { html } = await visit.open('/handlers/billing');
    expect(textOf(html)).toContain('Handler billing is paused');
    expect(html).not.toContain(resume);
  });
});

describe('every change', () => {
  it.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:8080' }],
    ['a cross-site request without an origin', { 'sec-fetch-site': 'cross-site' }],
  ])('is rejected from %s', async (_name, headers) => {
    visit = await visitConsole();
    const sent = await visit.send('/language', { language: 'pt-BR' }, { headers });
    expect(sent.status).toBe(403);
  });

  it('needs the token of a form of this session, not too old, whatever the content type is', async () => {
    visit = await visitConsole({ token: TOKEN });
    await signIn(TOKEN);
    expect((await visit.send('/language', { _token: 'guess' })).status).toBe(403);
    expect(
      (await visit.send('/language', { _token: '' }, { headers: { 'content-type': 'text/plain' } })).status,
    ).toBe(403);

    const other = await visitConsole({ token: TOKEN });
    const foreign = /name="_token" value="([^"]*)"/u.exec((await visit.open('/')).html)?.[1] ?? '';
    await other.send('/sign-in', { token: TOKEN }, { from: '/sign-in' });
    expect((await other.send('/language', { _token: foreign })).status).toBe(403);
    await other.close();
  });

  it('is rejected when it is larger than a form', async () => {
    visit = await visitConsole();
    expect((await visit.send('/language', { language: 'x'.repeat(300_000) })).status).toBe(413);
  });
});

describe('every response', () => {
  it('allows its own scripts and styles only, no frame, and no cache', async () => {
    visit = await visitConsole();
    for (const path of ['/', '/events', '/sign-in', '/events/none']) {
      const { headers } = await visit.open(path);
      expect(headers.get('content-security-policy'), path).toContain("default-src 'none'");
      expect(headers.get('content-security-policy'), path).toContain("frame-ancestors 'none'");
      expect(headers.get('cache-control'), path).toBe('no-store');
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
    }
  });

  it('has no inline script, style or handler', async () => {
    visit = await visitConsole();
    await visit.setup.receive(webhook('charge.updated', { id: 7 }));
    await visit.setup.settle();
    for (const path of ['/', '/events', '/failures', '/handlers', '/system', '/subjects/charge:7'])
      expect((await visit.open(path)).html, path).not.toMatch(/ style=| on[a-z]+=|<style|<script(?! src=)/u);
  });
});

describe('without a token', () => {
  it('only names of this machine are allowed', async () => {
    visit = await visitConsole();
    const rebound = await visit.setup.request('http://rebound.example:9090/', {
      headers: { host: 'rebound.example:9090', accept: 'text/html' },
    });
    expect(rebound.status).toBe(403);
  });
});

describe('the files of the console', () => {
  it('are kept by browsers, under an address that changes with their content', async () => {
    visit = await visitConsole({ token: TOKEN });
    const { html } = await visit.open('/sign-in');
    const path = /href="(\/assets\/[0-9a-f]{12}\/console\.css)"/u.exec(html)?.[1] ?? '';
    const { status, headers } = await visit.open(path, { 'accept-encoding': 'gzip' });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toContain('immutable');
    expect(headers.get('content-encoding')).toBe('gzip');
    expect((await visit.open('/assets/x/..%2f..%2fpackage.json')).status).toBe(404);
  });
});
