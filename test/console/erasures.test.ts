/** Holds and erasures on the page of personal data, as a visitor without JavaScript uses them. */
import { english } from '../../src/console/language/words.ts';
import { afterEach, expect, it } from 'vitest';
import { textOf } from '../support/page-text.ts';
import { visitConsole, webhook, type LoadedPage, type Visit } from './kit/console-browser.ts';

const CPF = '123.456.789-09';

let visit: Visit;

afterEach(() => visit.close());

async function open(): Promise<void> {
  visit = await visitConsole({ token: 'all-of-it', viewToken: 'view' });
  await visit.send('/sign-in', { token: 'all-of-it' }, { from: '/sign-in' });
  await visit.setup.receive(
    webhook('traffic-violation.indication.created', { id: 1, tax_id: '12345678909', name: 'Ana Prado' }),
  );
}

const sent = (path: string, fields: Record<string, string>): Promise<LoadedPage> =>
  visit.send(path, fields, { from: '/privacy' });

const hidden = (html: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`, 'u').exec(html)?.[1] ?? '';

/** Searches for a person. Returns the address of the plan, and its page. */
async function plan(person: string): Promise<LoadedPage & { readonly at: string }> {
  const at = (await sent('/privacy/plan', { person })).location ?? '';
  return { at, ...(await visit.open(at)) };
}

it('a subject is held with a reason, and the hold ends with one', async () => {
  await open();
  expect(await sent('/privacy/hold', { subject: ' user:77 ', reason: 'case 12' })).toMatchObject({
    status: 303,
    location: '/privacy?held=unseen#holds',
  });
  const text = textOf((await visit.open('/privacy?held=unseen')).html);
  expect(text).toContain(english.erasures.unseen);
  const by = english.frame.visitor('token');
  expect(text).toContain(`user:77 case 12 ${by}`);
  expect(text).toContain(`user-login:77 case 12 ${by}`);
  expect((await sent('/privacy/hold/end', { subject: 'user:77', reason: ' ' })).status).toBe(400);
  expect(text).toContain(english.erasures.endWhy('user:77', 'case 12'));
  const { location } = await sent('/privacy/hold/end', { subject: 'user:77', reason: 'case closed' });
  const ended = await visit.open(location!.replace('#holds', ''));
  expect(ended.html).toContain(`role="status">${english.erasures.ended}<`);
  expect(textOf(ended.html)).toContain('No subject is held.');
  expect(textOf((await visit.open('/audit')).html)).toMatch(/ended a hold.*case closed.*held a subject/u);
  expect((await sent('/privacy/hold', { subject: 'user', reason: 'case 12' })).status).toBe(400);
});

it('a person is searched, and erased once the same identifiers are typed again', async () => {
  await open();
  const { html, at } = await plan(`${CPF}\r\n`);
  const text = textOf(html);
  expect(text).toContain('Erase a person: 1 row');
  expect(text).toContain('The person is identified by 1 CPF.');
  expect(text).toMatch(/events traffic-violation\.indication\.created 1 .*data\.tax_id/u);
  expect(html).toContain('href="/subjects/traffic-violation-indication%3A1"');
  expect(html).not.toMatch(/123\.456|12345678909|Prado/u);

  const fields = { run: hidden(html, 'run'), plan: hidden(html, 'plan'), reason: 'request 2026-17' };
  const wrong = await sent('/privacy/erase', { ...fields, person: '987.654.321-00' });
  expect(wrong.status).toBe(400);
  expect(textOf(wrong.html)).toContain('These are not the identifiers of the plan: type the same again');
  expect(wrong.html).toContain('value="request 2026-17"');

  const erased = await sent('/privacy/erase', { ...fields, person: CPF });
  expect(erased.location).toBe(at);
  expect((await visit.open(at)).location).toBe('/privacy/erasures/x1');
  const done = textOf((await visit.open('/privacy/erasures/x1')).html);
  expect(done).toMatch(/finished .* request 2026-17 .*1 events/u);
  const receipt = await visit.open('/privacy/erasures/x1/receipt.json');
  expect(receipt.headers.get('content-disposition')).toBe('attachment; filename="receipt-x1.json"');
  expect(JSON.parse(receipt.html)).toMatchObject({ erasure: 'x1', hits: 0, erased_rows: { event: 1 } });
  expect(textOf((await visit.open('/privacy')).html)).toMatch(/x1 .*? finished/u);
});

it('what is typed of a person is in no address, no audit and no log', async () => {
  await open();
  const { html } = await plan(`${CPF}\nana.prado@example.com`);
  const fields = { run: hidden(html, 'run'), plan: hidden(html, 'plan'), reason: 'request 17' };
  await sent('/privacy/erase', { ...fields, person: `${CPF}\nana.prado@example.com` });
  const audit = await visit.setup.store.audit({}, { order: 'oldest', limit: 100 });
  expect(audit.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['planErasure', 'startErasure', 'erasePerson']),
  );
  expect(JSON.stringify([audit, visit.setup.logged])).not.toMatch(/123\.456|12345678909|prado/iu);
});

it('a mistyped identifier is named by its line, and the form keeps what was typed', async () => {
  await open();
  const { status, html } = await sent('/privacy/plan', { person: '12345678900\ncharge:12' });
  expect(status).toBe(400);
  const text = textOf(html);
  expect(text).toContain('identifier 1: is not a CPF (its check digits are wrong)');
  expect(text).toContain('identifier 2: charge is not a person');
  expect(html).toContain('12345678900\ncharge:12</textarea>');
});

it('a held person is shown with the hold, and no form erases them', async () => {
  await open();
  await visit.setup.receive(webhook('user.login.succeeded', { id: 77 }));
  await sent('/privacy/hold', { subject: 'user:77', reason: 'case 12' });
  const { html } = await plan('user:77');
  expect(textOf(html)).toMatch(/under a legal hold, so nothing can be erased: .*user:77 case 12/u);
  expect(html).not.toContain('action="/privacy/erase"');
});

it('an erasure that cannot start yet is refused on the page of its plan, with the reason and where the other runs', async () => {
  await open();
  const { html } = await plan(CPF);
  const fields = { run: hidden(html, 'run'), plan: hidden(html, 'plan'), reason: 'request 17', person: CPF };
  const { store } = visit.setup;
  const refused = await store.eraseAlone(async ({ process: own }) => {
    const page = await sent('/privacy/erase', fields);
    expect(textOf(page.html)).toContain(`Another erasure runs in the process ${own} since 2026-`);
    return page;
  });
  expect(refused.status).toBe(400);
  expect(refused.html).toContain('action="/privacy/erase"');
  await store.hold([{ family: 'traffic-violation-indication', id: '1' }], {
    reason: 'case 12',
    placedBy: 'ana',
  });
  const held = await plan(CPF);
  expect(textOf(held.html)).toMatch(/A legal hold keeps all rows of this person .* See the holds/u);
  const done = await sent('/privacy/erase', fields);
  expect(done.status, 'a row of a held subject only stays').toBe(303);
  await visit.open(done.location!);
  for (const path of ['/privacy', '/privacy/erasures/x1']) {
    const { html: shown } = await visit.open(path);
    expect(textOf(shown)).toContain('finished; 1 row stays, by a legal hold');
    expect(shown).not.toMatch(/class="state ok"[^>]*>(?:<[^>]*>)*finished/u);
    const inPortuguese = textOf((await visit.open(path, { 'accept-language': 'pt-BR' })).html);
    expect(inPortuguese).toContain('terminado; 1 linha fica, por uma retenção legal');
  }
});

it('an erasure that another process runs says so, on the list and on its page', async () => {
  await open();
  const { store } = visit.setup;
  const id = await store.beginErasure({ requestedBy: 'rui', reason: 'request 16', identifiers: [] });
  await store.eraseAlone(async ({ process: own, since }) => {
    await store.beginErasureRun(id, { identifiers: [], process: own, startedAt: since });
    const list = textOf((await visit.open('/privacy')).html);
    expect(list).toContain(`running ${own}`);
    const page = textOf((await visit.open('/privacy/erasures/x1')).html);
    expect(page).toContain(`running It runs in the process ${own} since`);
    for (const text of [list, page]) expect(text).not.toMatch(/started again|Start the same erasure again/u);
  });
  const page = textOf((await visit.open('/privacy/erasures/x1')).html);
  expect(page).toContain('Start the same erasure again');
});

it('an erasure of several runs lists what each erased', async () => {
  await open();
  const { store } = visit.setup;
  const erasure = await store.beginErasure({ requestedBy: 'rui', reason: 'request 16', identifiers: [] });
  await store.beginErasureRun(erasure, { identifiers: [], process: 'fleet-1:1', startedAt: 0 });
  const [content] = await store.contents('event', { after: 0, limit: 1 });
  const body = { before: content!.body!, after: Buffer.from('{}') };
  await store.eraseContents([{ place: 'event', row: content!.row, body }], { erasure });
  expect(textOf((await visit.open('/privacy/erasures/x1')).html)).toContain('Rows 1 events');
  await store.beginErasureRun(erasure, { identifiers: [], process: 'fleet-2:2', startedAt: 60_000 });
  expect(textOf((await visit.open('/privacy/erasures/x1')).html)).toMatch(
    /what each erased .*fleet-1:1: 1 events .*fleet-2:2: 0/u,
  );
});

it('who may only view sees holds and erasures, and neither searches nor changes', async () => {
  await open();
  const { at } = await plan(CPF);
  await visit.setup.store.hold([{ family: 'user', id: '77' }], { reason: 'case 12', placedBy: 'ana' });
  await visit.send('/sign-out', {});
  await visit.send('/sign-in', { token: 'view' }, { from: '/sign-in' });
  const { html } = await visit.open('/privacy');
  expect(html).not.toMatch(/action="\/privacy/u);
  expect(textOf(html)).toContain('Finding and erasing a person needs the roles operate and unmask.');
  expect(textOf(html)).toContain('user:77 case 12');
  expect((await visit.open(at)).status).toBe(403);
  expect((await sent('/privacy/plan', { person: CPF })).status).toBe(403);
  expect((await sent('/privacy/hold', { subject: 'user:78', reason: 'case 12' })).status).toBe(403);
});
