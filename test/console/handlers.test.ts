/** The list of handlers, the page of each, and the page that says what a resume starts. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { untilPasses } from '../support/eventually.ts';
import { textOf } from '../support/page-text.ts';
import { visitConsole, webhook, type Visit } from './kit/console-browser.ts';

const limited = defineHandler({
  ...{ name: 'limited', on: 'charge.*', rate: { limit: 60, per: 'minute', burst: 2 } },
  handle: () => undefined,
});
const companies = defineHandler({ name: 'companies', on: 'company.*', handle: () => undefined });
const archive = defineHandler({
  ...{ name: 'archive', on: 'charge.*', order: 'handler' },
  handle: () => undefined,
});
let visit: Visit;

beforeEach(async () => {
  visit = await visitConsole({ definitions: [limited, companies, archive] });
});

afterEach(() => visit.close());

const charge = (id: number, status = 'pending') =>
  webhook('charge.updated', { id, status, updated_at: '2026-11-20T10:00:00Z' });
const textAt = async (path: string, language = 'en') =>
  textOf((await visit.open(path, { 'accept-language': language })).html);
const pause = (fields: Readonly<Record<string, string>>) =>
  visit.send('/handlers/pause', { reason: 'the ledger moves', until: '', back: '/', ...fields });

it('lists what waits, what fails and what keeps each handler, with numbers that lead to what they count', async () => {
  visit.setup.failing = true;
  for (const id of [7, 8, 9]) await visit.setup.receive(charge(id));
  await untilPasses(async () => {
    const { html } = await visit.open('/handlers');
    expect(html).toContain('<a href="/failures?handler=billing" class="bad">3</a>');
    expect(html).toContain('<a href="/handlers/limited#waits">1</a>');
    expect(html).toContain('<a href="/handlers/charge-status%2Feffects">');
    expect(textOf(html)).toMatch(/limited 1 0 0 .* at its limit of calls up to 60 per minute, 2 at once/u);
  });
});

it('says on what a handler is, how often it is called, and what waits longest and why', async () => {
  await visit.setup.receive(charge(9));
  await visit.setup.settle();
  await pause({ handler: 'limited', subject: 'charge:9' });
  await visit.setup.receive(charge(9, 'paid'));
  for (const id of [6, 7, 8]) await visit.setup.receive(charge(id));

  await untilPasses(async () => {
    const text = await textAt('/handlers/limited');
    expect(text).toContain(
      'Limit of calls up to 60 per minute, 2 at once · 2 subjects wait for its limit of calls, the first goes on',
    );
    expect(text).toMatch(
      /What waits longest .* charge:9 paused .* by a local user .* charge:8 at its limit of calls/u,
    );
  });
  expect(await textAt('/handlers/limited', 'pt-BR')).toContain('até 60 por minuto, 2 de uma vez');
  const { body } = await visit.setup.get('/api/dispatch');
  expect(body['rates']).toMatchObject({ waiting: [{ handler: 'limited', lanes: 2 }], closed: [] });
  const { rows } = await visit.setup.get('/api/handlers');
  expect(rows.map(({ rate }) => rate)).toEqual([null, null, '60 per minute, burst 2', null, null]);
});

it('shows the one lane of a handler that runs one at a time in all', async () => {
  await pause({ handler: 'archive' });
  for (const id of [7, 8, 9]) await visit.setup.receive(charge(id));
  expect(await textAt('/handlers/archive')).toMatch(
    /What waits longest .* charge:7 paused charge\.updated now 2 more/u,
  );
});

it('names five lanes, says how many more wait, and shows all; why they wait stands once above them', async () => {
  await pause({ handler: 'archive' });
  await pause({ handler: 'billing' });
  for (let id = 1; id <= 7; id += 1) await visit.setup.receive(charge(id));
  const { html } = await visit.open('/handlers/billing');
  expect(textOf(html)).toMatch(/What waits longest .* charge:5 .* 2 more are not shown\. Show all/u);
  expect(html).not.toContain('data-head="Why"');
  const all = await visit.open('/handlers/billing?all=true');
  expect(textOf(all.html)).toMatch(/charge:7 .* Attempts/u);
  expect(textOf(all.html)).not.toContain('not shown');
});

it('says that there is no handler of a name', async () => {
  const { status, html } = await visit.open('/handlers/nobody');
  expect([status, textOf(html)]).toEqual([404, expect.stringContaining('There is no handler nobody')]);
});

it('says before a resume what starts and what goes on waiting, and that a pause which has ended is none', async () => {
  for (const id of [7, 8]) await visit.setup.receive(charge(id));
  await pause({ handler: 'billing' });
  await pause({ handler: 'billing', subject: 'charge:7' });
  for (const id of [7, 8]) await visit.setup.receive(charge(id, 'paid'));

  const text = await textAt('/handlers/pauses/p1');
  expect(text).toContain('Starts 1 delivery of 1 subject Go on waiting 1 delivery: for another pause');
  expect(text).toContain('Resume Cancel');
  const portuguese = await textAt('/handlers/pauses/p1', 'pt-BR');
  expect(portuguese).toContain('Começam 1 entrega de 1 objeto Continuam aguardando 1 entrega: por outra');
  // A refresh would count anew while somebody reads.
  expect((await visit.open('/handlers/pauses/p1')).html).not.toContain('data-refresh');
  expect((await visit.open('/handlers/pauses/p9')).status).toBe(404);
});

it('offers to pause a subject for the handlers that concern it, and names no pause of others', async () => {
  expect(await textAt('/handlers/billing')).toContain('Deliveries to this handler, of ALL customers, wait');
  await pause({ handler: 'billing' });
  await visit.setup.receive(webhook('company.updated', { id: 3 }));
  await visit.setup.settle();
  const { html } = await visit.open('/subjects/company:3');
  expect(textOf(html)).toContain('Deliveries of this subject to the handler wait');
  expect(html).toMatch(/<select name="handler" required=""><option>companies</u);
  expect(html).not.toContain('billing');
});

it('says for how long a breaker has been open', async () => {
  await visit.close();
  const fragile = defineHandler({
    ...{ name: 'fragile', on: 'charge.*', breaker: { failures: 1, subjects: 1 } },
    handle: () => Promise.reject(new Error('closed')),
  });
  visit = await visitConsole({ definitions: [fragile] });
  const { store, clock, receive } = visit.setup;
  const monitoring = store.monitoring.bind(store);
  const breaker = { handler: 'fragile', until: clock.now() + 9000, reason: 'Error: closed' };
  const openBreakers = [{ ...breaker, since: clock.now() - 180_000 }];
  store.monitoring = async () => ({ ...(await monitoring()), openBreakers });
  await receive(charge(1));
  await untilPasses(async () => {
    expect(await textAt('/handlers/fragile')).toContain('Its breaker has been open for 3 min.');
  });
  expect(await textAt('/')).toContain('(breaker open for 3 min): its events wait');
});
