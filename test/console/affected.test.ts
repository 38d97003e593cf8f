/** Whom a problem affects: the events of a handler, a group of failures, a pause and a problem, with their companies. */
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { written } from '../../src/console/event-rows.ts';
import { visitConsole, webhook, type Visit } from './kit/console-browser.ts';
import { textOf } from '../support/page-text.ts';

let visit: Visit;

beforeEach(async () => {
  visit = await visitConsole();
  visit.setup.failing = 'closed';
});

afterEach(() => visit.close());

const charge = (id: number, company: number) =>
  webhook('charge.updated', { id, company: { id: company, name: 'Serra Azul' } });

async function receive(...bodies: readonly object[]): Promise<void> {
  for (const body of bodies) await visit.setup.receive(body);
  await visit.setup.settle();
}

/** Opens the link of a page that matches, and returns what it leads to. */
async function follow(path: string, link: RegExp) {
  const found = [...(await visit.open(path)).html.matchAll(/href="([^"]+)"/gu)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  );
  return visit.open(found.find((href) => link.test(href)) ?? 'missing');
}

/** The lines of the file of a page, without the ids and times. */
async function file(path: string): Promise<readonly string[]> {
  const { html } = await follow(path, /^\/events\.csv/u);
  expect(html.endsWith('\r\n')).toBe(true);
  const lines = html.split('\r\n').slice(0, -1);
  return lines.map((line) => line.replace(/^[0-9a-z]{6}-\d+|^q\d+/u, '#').replace(/,\d{4}-[^,]+Z,/u, ',@,'));
}

const HEAD = 'id,kind,subject,company,received_at,status';

it('of a group of failures are one link away, by company, and so is the file of them', async () => {
  await receive(charge(1, 12), charge(2, 13));
  visit.setup.failing = 'other';
  await receive(charge(3, 12));
  const list = await follow('/handlers/billing', /^\/events\?handler=billing&error=/u);
  expect(textOf(list.html)).toMatch(/charge:2 new failed 13 .*charge:1 new failed 12/u);
  expect(list.html).not.toContain('charge:3');
  const of = (filters: string) => `/events?handler=billing&${filters}`;
  expect(await file(of('status=dead&company=12'))).toEqual([
    HEAD,
    '#,charge.updated,charge:3,12,@,dead',
    '#,charge.updated,charge:1,12,@,dead',
  ]);
  expect(textOf((await visit.open(of('status=succeeded'))).html)).toContain('No event matches.');
  expect(await file('/events?handler=charge-status&status=succeeded')).toHaveLength(4);
});

it('of a pause and of a problem of the quarantine are one link away', async () => {
  await visit.send('/handlers/pause', { handler: 'billing', reason: 'repair', until: '', back: '/handlers' });
  await receive(charge(1, 12), { type: 'charge.updated', data: { id: 2, company: { id: 14 } } });
  expect(textOf((await follow('/handlers', /^\/events\?status=pending/u)).html)).toContain(
    'charge:1 new waiting 12',
  );
  const [problem] = /\/quarantine\?problem=[0-9a-f]{12}/u.exec((await visit.open('/quarantine')).html) ?? [];
  expect(textOf((await visit.open(problem ?? '')).html)).toMatch(/charge\.updated charge:2 .* 14 As CSV/u);
  expect(await file(problem ?? '')).toEqual([HEAD, '#,charge.updated,charge:2,14,@,held']);
});

it('write a file that no spreadsheet runs, that says when it is cut, and that the audit names', async () => {
  await receive({ type: '=cmd|"x"!A1,2', data: {} });
  expect((await file('/events'))[1]).toContain(`#,"'=cmd|""x""!A1,2"`);
  await receive({ type: 'a;=1+1', data: { id: 1, company: { id: 'Maria 529.982.247-25' } } });
  expect((await file('/events'))[1]).toMatch(/^#,"a;'=1\+1",[^,]*,,@/u);
  const cut = await Array.fromAsync(
    written(Readable.from([[['a'], ['b']], [['c']]]), { most: 2, cut: 'cut' }),
  );
  expect(Buffer.concat(cut).toString()).toBe(`${HEAD}\r\na\r\nb\r\ncut,,,,,\r\n`);
  const { html } = await visit.open('/audit');
  expect(textOf(html)).toContain('exported events');
  expect(textOf((await visit.open('/events.csv?since=never')).html)).toContain('write a time');
});

it('are in the audit with their filters, and whether personal data was searched', async () => {
  const filters = 'company=12&error=abcdefabcdef&flag=unknown-value&verdict=new';
  await receive(charge(1, 12));
  expect((await visit.open('/events?unmask=true')).html).toContain('href="/events.csv"');
  for (const asked of ['', '&unmask=true']) await visit.open(`/events.csv?${filters}${asked}`);
  const named = 'company 12 error abcdefabcdef flag unknown-value verdict new';
  const text = textOf((await visit.open('/audit')).html);
  expect(text).toMatch(
    new RegExp(`exported events personal data shown of ${named} .* exported events of ${named} `, 'u'),
  );
});

it('of a company that is no number lead nowhere', async () => {
  await receive({ type: 'charge.updated', data: { id: 2, company: { id: '7&status=dead' } } });
  const [problem = ''] =
    /\/quarantine\?problem=[0-9a-f]{12}/u.exec((await visit.open('/quarantine')).html) ?? [];
  expect((await visit.open(problem)).html).not.toContain('company=7');
  expect((await file(problem))[1]).toBe('#,charge.updated,charge:2,,@,held');
});
