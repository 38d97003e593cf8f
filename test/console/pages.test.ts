import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { visitConsole, webhook, type Visit } from './kit/console-browser.ts';
import { textOf } from '../support/page-text.ts';

let visit: Visit;

beforeEach(async () => {
  visit = await visitConsole();
});

afterEach(() => visit.close());

const charge = (status: string, id = 7) =>
  webhook('charge.updated', { id, status, updated_at: '2026-11-20T10:00:00Z' });

describe('the overview', () => {
  it('says that nothing needs attention, and how to begin, while the store is empty', async () => {
    const { status, html } = await visit.open('/');
    expect(status).toBe(200);
    expect(textOf(html)).toContain('Nothing needs you');
    expect(textOf(html)).toContain('portaria send company.created');
  });

  it('names each problem in a sentence with a link to where it is mended', async () => {
    visit.setup.failing = 'the ledger is closed';
    await visit.setup.receive(charge('pending'));
    await visit.setup.receive({ type: 'charge.updated', data: { id: 'seven' } });
    await visit.setup.settle();

    const { html } = await visit.open('/');
    expect(textOf(html)).toContain('2 things need you');
    expect(textOf(html)).toContain('1 delivery to billing failed.');
    expect(html).toContain('href="/failures?handler=billing"');
    expect(textOf(html)).toContain(
      '1 webhook of charge.updated in quarantine: against the contract. data.id: expected a whole number',
    );
    expect(html).toMatch(/href="\/quarantine\?problem=[0-9a-f]{12}">Release or discard/u);
  });

  it('says why webhooks are not accepted', async () => {
    visit.setup.reasons = ['stopping'];
    expect(textOf((await visit.open('/')).html)).toContain(
      'Webhooks are not accepted any more: the process is stopping.',
    );
  });
});

describe('the list of events', () => {
  beforeEach(() => {
    visit.setup.failing = true;
  });

  it('shows each event with its verdict and its outcome, newest first', async () => {
    await visit.setup.receive(charge('pending'));
    await visit.setup.receive(webhook('company.created', { id: 12 }));
    await visit.setup.settle();

    const text = textOf((await visit.open('/events')).html);
    expect(text).toMatch(
      /company\.created company:12 new no handler .* charge\.updated charge:7 new 1 of 2 failed 12/u,
    );
  });

  it('filters by kind, subject, source, verdict, status and time, in the address', async () => {
    await visit.setup.receive(charge('pending'));
    await visit.setup.receive(webhook('company.created', { id: 12 }), { source: 'other' });
    await visit.setup.settle();

    const shown = async (query: string): Promise<string[]> =>
      [...(await visit.open(`/events?${query}`)).html.matchAll(/href="\/subjects\/([^"]+)"/gu)].map(
        ([, subject]) => decodeURIComponent(subject ?? ''),
      );
    expect(await shown('kind=charge.*')).toEqual(['charge:7']);
    expect(await shown('subject=company:12')).toEqual(['company:12']);
    expect(await shown('source=other')).toEqual(['company:12']);
    expect(await shown('status=dead')).toEqual(['charge:7']);
    expect(await shown('verdict=stale')).toEqual([]);
    expect(await shown('since=1h')).toEqual(['company:12', 'charge:7']);
    expect(await shown('since=2026-11-21')).toEqual([]);
  });

  it('says what is wrong with a filter', async () => {
    const { status, html } = await visit.open('/events?since=yesterday');
    expect(status).toBe(400);
    expect(textOf(html)).toContain('Write a time as 2026-11-22 13:00');
  });

  it('has pages that a link leads through', async () => {
    for (let id = 1; id <= 40; id += 1) await visit.setup.receive(webhook('company.created', { id }));
    const first = await visit.open('/events');
    const next = /href="(\/events\?after=[^"]+)" rel="next"/u.exec(first.html)?.[1] ?? '';
    const second = await visit.open(next);
    expect(first.html.match(/<tr[ >]/gu)).toHaveLength(31);
    expect(second.html.match(/<tr[ >]/gu)).toHaveLength(11);
    expect(second.html).not.toContain('rel="next"');
    expect(second.html).toContain('company%3A1"');
  });
});

describe('the page of an event', () => {
  beforeEach(() => {
    visit.setup.failing = true;
  });

  it('explains the verdict, shows what changed, the payload and the deliveries', async () => {
    await visit.setup.receive(charge('pending'));
    await visit.setup.receive(charge('paid'));
    await visit.setup.settle();
    const id = /\/events\/([0-9a-z]+-2)"/u.exec((await visit.open('/events')).html)?.[1] ?? '';

    const { html } = await visit.open(`/events/${id}`);
    const text = textOf(html);
    expect(text).toContain('New: the latest of its subject when it came');
    expect(text).toContain('data.status "pending" "paid"');
    expect(text).toContain('"status" : "paid"');
    expect(text).toMatch(/billing failed Error: the ledger is closed .* Retry/u);
  });

  it('says that an event does not exist', async () => {
    const { status, html } = await visit.open('/events/zzzzzz-99');
    expect(status).toBe(404);
    expect(textOf(html)).toContain('There is no event zzzzzz-99');
  });

  it('retries a dead delivery, and says so', async () => {
    await visit.setup.receive(charge('pending'));
    await visit.setup.settle();
    const [event] = await visit.setup.store.events({}, { order: 'newest', limit: 1 });
    const path = `/events/${event?.id ?? ''}`;
    const delivery = /name="delivery" value="(d\d+)"/u.exec((await visit.open(path)).html)?.[1] ?? '';
    visit.setup.failing = false;

    const sent = await visit.send(
      '/failures/retry',
      { delivery, event: path.slice('/events/'.length) },
      { from: path },
    );
    await visit.setup.settle();

    expect([sent.status, sent.location]).toEqual([303, `${path}?retried=1`]);
    const text = textOf((await visit.open(`${path}?retried=1`)).html);
    expect(text).toContain('1 delivery will run again');
    expect(text).toContain('billing succeeded');
  });
});

describe('payloads', () => {
  it('are masked until a visitor asks for them', async () => {
    await visit.setup.receive(
      webhook('company.created', { id: 12, name: 'Serra Azul', tax_id: '11222333000181' }),
    );
    const [event] = await visit.setup.store.events({}, { order: 'newest', limit: 1 });
    const path = `/events/${event?.id ?? ''}`;
    expect((await visit.open(path)).html).not.toContain('11222333000181');
    expect((await visit.open(`${path}?unmask=true`)).html).toContain('11222333000181');
  });

  it.each([
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    '</pre></script><svg/onload=alert(1)>',
    '{{7*7}} ${7*7} <%= 7 %>',
    'javascript:alert(1)',
    '\u202Egnp.exe',
  ])('are text and never markup: %s', async (naughty) => {
    await visit.setup.receive(
      { type: `x.${naughty}`, data: { id: naughty, [naughty]: naughty } },
      { messageId: naughty },
    );
    await visit.setup.receive(webhook('charge.updated', { id: 7, status: naughty }));
    await visit.setup.receive({ type: 'charge.updated', data: { id: naughty, [naughty]: 1 } });
    visit.setup.failing = naughty;
    await visit.setup.receive(charge('pending', 8));
    await visit.setup.settle();

    const events = await visit.setup.store.events({}, { order: 'newest', limit: 10 });
    const pages = [
      '/',
      '/events',
      '/live',
      '/failures',
      '/quarantine',
      '/quarantine/q1?unmask=true',
      '/handlers',
      `/events?kind=${encodeURIComponent(naughty)}`,
      ...events.flatMap(({ id, subject }) => [
        `/events/${id}?unmask=true`,
        `/subjects/${encodeURIComponent(`${subject.family}:${subject.id}`)}?unmask=true`,
      ]),
    ];
    for (const path of pages) {
      const { html } = await visit.open(path);
      expect(html, path).not.toMatch(
        /<script>|<img|<svg\/|onmouseover='|onerror=alert\(1\)>|href="javascript:/u,
      );
      // The scripts of a page are files of the console.
      const own = /<script src="\/assets\/[0-9a-f]+\/[a-z]+\.js" (?:defer=""|type="module")><\/script>/gu;
      expect(html.replaceAll(own, ''), path).not.toContain('<script');
    }
  });

  it('of any size are rendered in part', async () => {
    const data = { id: 5, list: Array.from({ length: 5_000 }, (_, index) => ({ index, name: 'a' })) };
    await visit.setup.receive({ type: 'bulk.made', data });
    const [event] = await visit.setup.store.events({}, { order: 'newest', limit: 1 });
    const { html } = await visit.open(`/events/${event?.id ?? ''}?unmask=true`);
    expect(html.length).toBeLessThan(100_000);
    expect(textOf(html)).toContain('4,900 members');
  });
});

describe('the page of a subject', () => {
  it('shows the order of arrival beside the order of versions', async () => {
    for (const updated_at of ['2026-11-20T10:00:00Z', '2026-11-20T12:00:00Z', '2026-11-20T11:00:00Z'])
      await visit.setup.receive(webhook('company.updated', { id: 12, name: updated_at, updated_at }));

    const { html } = await visit.open('/subjects/company:12');
    const lines = [...html.matchAll(/d="M62 (\d+)L210 (\d+)" class="([^"]+)"/gu)].map((match) =>
      match.slice(1),
    );
    expect(lines).toEqual([
      ['39', '39', 'line'],
      ['91', '65', 'line'],
      ['65', '91', 'line late'],
    ]);
    expect(textOf(html)).toContain('stale');
  });
});

describe('the quarantine', () => {
  it('lists what does not match, shows the body masked, and releases nothing that still does not match', async () => {
    await visit.setup.receive({ type: 'charge.updated', data: { id: 'seven', status: 'paid' } });
    const list = textOf((await visit.open('/quarantine')).html);
    expect(list).toContain('charge.updated – data.id expected a whole number');

    const sent = await visit.send('/quarantine/release', { entry: 'q1' }, { from: '/quarantine/q1' });
    expect(sent.location).toBe('/quarantine/q1');
    const entry = textOf((await visit.open('/quarantine/q1')).html);
    expect(entry).toContain('It cannot be released. The sender must send it again.');
    expect(entry).toContain('"id" : "seven"');
  });
});

describe('languages', () => {
  it('follow the browser, and the choice of the visitor', async () => {
    expect((await visit.open('/', { 'accept-language': 'pt-BR,pt;q=0.9' })).html).toContain(
      '<html lang="pt-BR">',
    );
    const { location } = await visit.send('/language', { language: 'pt-BR', back: '/events?kind=a' });
    expect(location).toBe('/events?kind=a');
    expect(textOf((await visit.open('/')).html)).toContain('Nada precisa de você');
  });
});

describe('the search', () => {
  it.each([
    ['7gk2m9-12', '/events/7gk2m9-12'],
    ['company:12', '/subjects/company%3A12'],
    ['q3', '/quarantine/q3'],
    ['j2', '/jobs/j2'],
    ['billing', '/handlers/billing'],
    ['"billing"', '/events?text=billing'],
    ['kind:charge.*', '/events?kind=charge.*'],
    ['charge.*', '/events?kind=charge.*'],
    ['', '/events'],
  ])('%j leads to %s', async (text, location) => {
    const found = await visit.send('/search', { q: text });
    expect(found.location).toBe(location);
  });
});
