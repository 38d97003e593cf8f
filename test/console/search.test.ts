import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { english, portuguese } from '../../src/console/language/words.ts';
import { textOf } from '../support/page-text.ts';
import { visitConsole, webhook, type Visit } from './kit/console-browser.ts';

const TOKEN = 'operators-token-0123456789';
const VIEW_TOKEN = 'view-token-0123456789';

let visit: Visit;

/** Three companies, and an indication with the CPF of a person. */
async function receive(): Promise<void> {
  await visit.setup.receive(
    webhook('company.created', {
      id: 12,
      name: 'Serra Azul',
      tax_id: '11222333000181',
      address: { address: 'Rua Um 1' },
    }),
  );
  await visit.setup.receive(
    webhook('company.created', { id: 13, name: 'Serra Verde', tax_id: null, address: null }),
  );
  await visit.setup.receive({ type: 'odd.kind', data: { id: 9, secret: 'Serra Azul', ok: true } });
  await visit.setup.receive({ type: 'odd.kind', data: '{"id":1}' });
}

/** The subjects that the list shows. */
async function found(query: string): Promise<readonly string[]> {
  const { html } = await visit.open(`/events?${query}`);
  return [...html.matchAll(/href="\/subjects\/([^"]+)"/gu)].map(([, subject]) =>
    decodeURIComponent(subject ?? ''),
  );
}

const where = (text: string): string => `where=${encodeURIComponent(text)}`;

afterEach(() => visit.close());

describe('a search of payloads', () => {
  beforeEach(async () => {
    visit = await visitConsole();
    await receive();
  });

  it('finds events by a field, and by a text in any value', async () => {
    expect(await found(where('data.id = 12'))).toEqual(['company:12']);
    expect(await found(`unmask=true&${where('data.tax_id = 11222333000181')}`)).toEqual(['company:12']);
    expect(await found(where('data.tax_id = 11222333000181'))).toEqual([]);
    expect(await found(where('data.name contains serra and data.id > 12'))).toEqual(['company:13']);
    expect(await found('text=serra+azul')).toEqual(['company:12']);
    expect(await found(`text=serra&${where('data.tax_id = null')}`)).toEqual(['company:13']);
    expect(await found('text=serra&kind=odd.*')).toEqual([]);
  });

  it('looks at no personal field and no undeclared one until a visitor asks for it, and says so', async () => {
    expect(await found(where('data.address.address contains rua'))).toEqual([]);
    expect(await found(where('data.secret != x'))).toEqual([]);
    expect(await found(where('data.ok = true'))).toEqual(['odd:9']);
    const { html } = await visit.open(`/events?${where('data.address.address contains rua')}`);
    expect(html).toContain('Fields with personal data were not searched');
    expect(html).toContain('unmask=true');

    expect(await found(`unmask=true&${where('data.address.address contains rua')}`)).toEqual(['company:12']);
    expect(await found('unmask=true&text=serra+azul')).toEqual(['odd:9', 'company:12']);
    const acts = visit.setup.logged.filter(({ fields }) => 'unmasked' in fields);
    expect(acts).toHaveLength(2);
    expect(JSON.stringify(visit.setup.logged)).not.toMatch(/rua|serra/iu);
  });

  it('keeps its terms in the address of the next page, in the form, and in the choice to unmask', async () => {
    for (let id = 100; id < 140; id += 1)
      await visit.setup.receive(webhook('company.created', { id, name: `Filial ${String(id)}` }));
    const first = await visit.open(`/events?text=filial&${where('data.id >= 100')}`);
    expect(first.html).toContain('value="data.id &gt;= 100"');
    const next = /href="(\/events\?[^"]+)" rel="next"/u.exec(first.html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const { html } = await visit.open(next);
    expect(html.match(/href="\/subjects\//gu)).toHaveLength(10);
    expect(html).not.toContain('rel="next"');
    // The page itself counts: nothing is searched for it.
    expect(first.html).toContain('30+ of the newest 31 events match.');
    expect(html).toMatch(/10 of the next \d+ events match\./u);
  });

  it.each([
    ['tax_id = 5', 'begin a condition with a field of the payload'],
    ['data.a ~ 5', 'write one of = !='],
    [`data.a = ${'x'.repeat(500)}`, '200 characters at most'],
  ])('rejects %j, and says what was meant', async (text, message) => {
    const { status, html } = await visit.open(`/events?${where(text)}`);
    expect(status).toBe(400);
    expect(html).toContain(message);
  });

  it.each([
    '<script>alert(1)</script>',
    '"><img src=x>',
    '%',
    '\\',
    "' or 1=1 --",
    '\u202E',
    '(a+)+$',
    '*',
    '[[',
  ])('takes %j as text: nothing is markup, a pattern or SQL', async (naughty) => {
    await visit.setup.receive(webhook('company.created', { id: 77, name: `x${naughty}x` }));
    const query = `text=${encodeURIComponent(naughty)}`;
    expect(await found(query)).toContain('company:77');
    expect(await found(where(`data.name = ${JSON.stringify(`x${naughty}x`)}`))).toEqual(['company:77']);
    const { html } = await visit.open(
      `/events?${query}&${where(`data.name contains ${JSON.stringify(naughty)}`)}`,
    );
    expect(html).not.toMatch(/<script>|<img/u);
  });

  it('counts what matches a filter, and says when nothing does', async () => {
    expect((await visit.open('/events')).html).toContain('4 events match.');
    expect((await visit.open('/events?kind=company.*')).html).toContain('2 events match.');
    expect((await visit.open('/events?text=nowhere')).html).toContain('No event matches.');
  });
});

describe('a visitor who may only read', () => {
  it('cannot find out a personal value by searching for it', async () => {
    visit = await visitConsole({ token: TOKEN, viewToken: VIEW_TOKEN });
    await receive();
    await visit.send('/sign-in', { token: VIEW_TOKEN, back: '/' }, { from: '/sign-in' });
    for (const guess of ['= "Rua Um 1"', '!= "Rua Dois"', 'contains rua', '> A', '<= Z'])
      expect(await found(where(`data.address.address ${guess}`)), guess).toEqual([]);
    expect(await found('text=Rua+Um')).toEqual([]);
    const { html } = await visit.open('/events?text=Rua');
    expect(html).not.toContain('unmask=true');
    expect((await visit.open('/events?text=Rua&unmask=true')).status).toBe(403);
  });
});

describe('the search field', () => {
  it.each([
    ['data.status = paid', '/events?where=data.status+%3D+paid'],
    ['data.a = 1 and data.b > 2 kind:charge.*', '/events?where=data.a+%3D+1+and+data.b+%3E+2&kind=charge.*'],
    ['"Serra Azul"', '/events?text=Serra+Azul'],
    ['Serra Azul', '/events?text=Serra+Azul'],
    ['status:dead since:2h', '/events?status=dead&since=2h'],
    ['since:2026-11-22 13:00', '/events?since=2026-11-22+13%3A00'],
    ['source:"a b" azul', '/events?source=a+b&text=azul'],
    ['subject:company:12', '/events?subject=company%3A12'],
    ['12345678000190', '/events?text=12345678000190'],
    ['12.345.678/0001-95', '/events?text=12.345.678%2F0001-95'],
    ['charge:52998224725', '/subjects/charge%3A52998224725'],
    ['52998224726', '/events?text=52998224726'],
    ['11987654321', '/events?text=11987654321'],
    ['ABC1D23', '/events?text=ABC1D23'],
    ['"', '/events?text=%22'],
  ])('%j leads to %s', async (text, location) => {
    visit = await visitConsole();
    expect((await visit.send('/search', { q: text })).location).toBe(location);
  });

  it.each([
    ...['529.982.247-25', '52998224725', '529 982 247 25', 'cpf:52998224726', 'text:52998224725'],
    ...[
      'data.document = "529.982.247-25"',
      'Ana 529.982.247-25',
      'ana@example.com',
      'mailto:ana@example.com',
    ],
    ...['(11) 98765-4321', '11 98765-4321', '+55 11 98765-4321', 'phone:11987654321'],
  ])('takes %j for a person, who is in no address', async (text) => {
    visit = await visitConsole();
    const { location } = await visit.send('/search', { q: text });
    expect(location).toBe('/privacy?searched=person');
    expect(textOf((await visit.open(location!)).html)).toContain(english.erasures.searchHere);
    const { html } = await visit.open(location!, { 'accept-language': 'pt-BR' });
    expect(textOf(html)).toContain(portuguese.erasures.searchHere);
  });
});
