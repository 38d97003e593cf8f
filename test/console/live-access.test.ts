import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { visitConsole, webhook, type Visit } from './console-browser.ts';
import { openLive, type LiveTab } from './live-tab.ts';

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

  it('no page of another origin, which could take all places', async () => {
    const cookie = await cookieOf(TOKEN);
    const tab = await open('', { headers: { cookie, 'sec-fetch-site': 'cross-site' } });
    expect(tab.status).toBe(403);
  });
});
