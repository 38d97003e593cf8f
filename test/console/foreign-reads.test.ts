/** What pages of other origins may make a browser read. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { visitConsole, webhook, type Visit } from './kit/console-browser.ts';

let visit: Visit;

beforeEach(async () => {
  visit = await visitConsole();
  await visit.setup.receive(webhook('company.created', { id: 12, tax_id: '11222333000181' }));
});

afterEach(() => visit.close());

const from = (site: string, dest: string, mode = 'no-cors') => ({
  'sec-fetch-site': site,
  'sec-fetch-dest': dest,
  'sec-fetch-mode': mode,
});
const audit = () => visit.setup.store.audit({}, { order: 'oldest', limit: 100 });

describe('a page of another origin', () => {
  it('loads no page, whatever for', async () => {
    for (const [site, dest, mode] of [
      ['cross-site', 'image', 'no-cors'],
      ['same-site', 'image', 'no-cors'],
      ['cross-site', 'script', 'no-cors'],
      ['cross-site', 'empty', 'cors'],
      ['cross-site', 'iframe', 'navigate'],
      ['cross-site', 'embed', 'navigate'],
      ['same-site', 'object', 'navigate'],
    ] as const)
      for (const path of [
        '/',
        '/events/1',
        '/events/1?unmask=true',
        '/subjects/company%3A12',
        '/live/stream',
      ])
        expect((await visit.open(path, from(site, dest, mode))).status, `${dest} ${path}`).toBe(403);
    expect((await audit()).filter(({ unmasked }) => unmasked)).toEqual([]);
  });

  it.each(['cross-site', 'same-site'])('has links, which unmask nothing: %s', async (site) => {
    const link = from(site, 'document', 'navigate');
    expect((await visit.open('/events/1', link)).status).toBe(200);
    const unmasking = await visit.open('/events/1?unmask=true&retried=1', link);
    expect([unmasking.status, unmasking.location]).toEqual([303, '/events/1?retried=1']);
    expect((await visit.open('/events/1?unmask=true', link)).location).toBe('/events/1');
    expect(await audit()).toEqual([]);
  });

  it('changes nothing for the console’s own pages, typed addresses, and programs', async () => {
    for (const headers of [from('same-origin', 'empty', 'cors'), from('none', 'document', 'navigate'), {}]) {
      const { status, html } = await visit.open('/events/1?unmask=true', headers);
      expect([status, html.includes('11222333000181')]).toEqual([200, true]);
    }
  });
});

describe('the way back after a form', () => {
  const foreign = [
    '/\t/evil.example',
    '/\n/evil.example',
    '/\r//evil.example',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    '/%2e//evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    ' //evil.example',
    '',
  ];

  it('leads to no other origin, and keeps an address of the console', async () => {
    for (const back of foreign)
      expect((await visit.send('/language', { language: 'pt-BR', back })).location, back).toBe('/');
    for (const back of ['/', '/events?kind=a%26b&q=%2F%2Fx', '/subjects/user%3A7'])
      expect((await visit.send('/language', { language: 'pt-BR', back })).location).toBe(back);
  });
});
