import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BEAT_MS, MAX_STREAMS } from '../../../src/console/live/live-stream.ts';
import { eventually } from '../../support/eventually.ts';
import { visitConsole, webhook, type Visit } from '../kit/console-browser.ts';
import { openLive, type LiveTab } from '../kit/live-tab.ts';

const TOKEN = 'operators-token-0123456789';
const VIEW_TOKEN = 'view-token-0123456789';

let visit: Visit;
let tabs: LiveTab[] = [];

beforeEach(async () => {
  visit = await visitConsole({ token: TOKEN, viewToken: VIEW_TOKEN });
});

afterEach(async () => {
  await Promise.all(tabs.map((tab) => tab.close()));
  tabs = [];
  await visit.close();
});

async function open(...[query, options]: [query?: string, options?: Parameters<typeof openLive>[2]]) {
  const tab = await openLive(visit.setup, query, options);
  tabs.push(tab);
  return tab;
}

const beatsOf = (tab: LiveTab): number => tab.messages.filter(({ event }) => event === 'beat').length;

describe('who may follow the live page', () => {
  const cookieOf = async (token: string): Promise<string> => {
    const { headers } = await visit.send('/sign-in', { token, back: '/' }, { from: '/sign-in' });
    return headers.get('set-cookie')?.split(';')[0] ?? '';
  };

  it('nobody without a session: scripts get 401, people the sign-in', async () => {
    const tab = await open();
    expect(tab.status).toBe(401);
    expect((await visit.open('/live?kind=charge.*')).location).toBe(
      '/sign-in?back=%2Flive%3Fkind%3Dcharge.*',
    );
  });

  it('whoever may view, without personal data', async () => {
    const tab = await open('?unmask=false', { headers: { cookie: await cookieOf(VIEW_TOKEN) } });
    await visit.setup.receive(
      webhook('company.created', { id: 5, name: 'Serra Azul', tax_id: '11222333000181' }),
    );
    visit.setup.clock.advance(100);
    await eventually('the row is there', () => tab.rows().length === 1);
    const sent = tab.messages.map(({ data }) => data).join('');
    expect(sent).not.toMatch(/11222333000181|Serra Azul/u);
    expect(sent).toContain('company:5');
    const unmasked = await open('?unmask=true', { headers: { cookie: await cookieOf(VIEW_TOKEN) } });
    expect(unmasked.status).toBe(403);
  });

  it('until the session ends', async () => {
    const tab = await open('', { headers: { cookie: await cookieOf(TOKEN) } });
    visit.setup.clock.advance(12 * 3_600_000 - 1);
    expect(tab.hasEnded()).toBe(false);
    visit.setup.clock.advance(1);
    await eventually('the stream ends', () => tab.hasEnded());
  });

  it('until the sign-out, of the streams of this session alone', async () => {
    const other = await open('', { headers: { cookie: await cookieOf(TOKEN) } });
    const cookie = await cookieOf(TOKEN);
    const own = [await open('', { headers: { cookie } }), await open('', { headers: { cookie } })];
    await visit.send('/sign-out', {});
    visit.setup.clock.advance(BEAT_MS);
    for (const tab of own) await eventually('the stream ends', () => tab.hasEnded());
    expect((await open('', { headers: { cookie } })).status).toBe(401);
    visit.setup.clock.advance(BEAT_MS);
    await eventually('another beat', () => beatsOf(other) === 2);
    expect(other.hasEnded()).toBe(false);
  });

  it('until the session cannot be checked, so that a sign-out is never overlooked', async () => {
    const tab = await open('', { headers: { cookie: await cookieOf(TOKEN) } });
    vi.spyOn(visit.setup.store, 'isSessionEnded').mockRejectedValueOnce(new Error('disk is gone'));
    visit.setup.clock.advance(BEAT_MS);
    await eventually('the stream ends', () => tab.hasEnded());
    expect(visit.setup.logged.at(-1)?.message).toBe('a live page could not be filled');
  });

  it('with ten streams of a session, and others beside it', async () => {
    const cookie = await cookieOf(TOKEN);
    for (let each = 0; each < MAX_STREAMS.session; each += 1)
      expect((await open('', { headers: { cookie } })).status).toBe(200);
    const more = await open('', { headers: { cookie } });
    expect([more.status, more.headers.get('retry-after')]).toEqual([503, '30']);
    expect((await open('', { headers: { cookie: await cookieOf(TOKEN) } })).status).toBe(200);
    await tabs[0]?.close();
    expect((await open('', { headers: { cookie } })).status).toBe(200);
  });

  it('with thirty streams of all who use one token, so that the other token has its places', async () => {
    for (let each = 0; each < MAX_STREAMS.token; each += 1) {
      const cookie = await cookieOf(VIEW_TOKEN);
      expect((await open('', { headers: { cookie } })).status).toBe(200);
    }
    expect((await open('', { headers: { cookie: await cookieOf(VIEW_TOKEN) } })).status).toBe(503);
    expect((await open('', { headers: { cookie: await cookieOf(TOKEN) } })).status).toBe(200);
  });

  it('no page of another origin, which could take all places', async () => {
    const cookie = await cookieOf(TOKEN);
    const tab = await open('', { headers: { cookie, 'sec-fetch-site': 'cross-site' } });
    expect(tab.status).toBe(403);
  });
});

describe('people whom a proxy names', () => {
  const PROXY = '10.0.0.9';

  beforeEach(async () => {
    await visit.close();
    visit = await visitConsole({
      singleSignOn: { header: 'x-user', proxies: [PROXY], users: new Map([['*', ['view']]]) },
    });
    visit.setup.peer = PROXY;
  });

  it('follow for 12 hours, then the proxy is asked again', async () => {
    const tab = await open('', { headers: { 'x-user': 'ana' } });
    visit.setup.clock.advance(12 * 3_600_000 - 1);
    await eventually('a beat is read', () => beatsOf(tab) > 1);
    expect(tab.hasEnded()).toBe(false);
    visit.setup.clock.advance(1);
    await eventually('the stream ends', () => tab.hasEnded());
  });

  it('have ten streams each', async () => {
    for (let each = 0; each < MAX_STREAMS.session; each += 1)
      await open('', { headers: { 'x-user': 'ana' } });
    expect((await open('', { headers: { 'x-user': 'ana' } })).status).toBe(503);
    expect((await open('', { headers: { 'x-user': 'rui' } })).status).toBe(200);
  });

  it('who may not operate leave ten places to those who may', async () => {
    await visit.close();
    visit = await visitConsole({
      singleSignOn: {
        ...{ header: 'x-user', proxies: [PROXY] },
        users: new Map([
          ['ana', ['view', 'operate']],
          ['*', ['view']],
        ]),
      },
    });
    visit.setup.peer = PROXY;
    for (let each = 0; each < MAX_STREAMS.viewers; each += 1)
      await open('', { headers: { 'x-user': `guest ${String(each)}` } });
    expect((await open('', { headers: { 'x-user': 'rui' } })).status).toBe(503);
    expect((await open('', { headers: { 'x-user': 'ana' } })).status).toBe(200);
  });
});
