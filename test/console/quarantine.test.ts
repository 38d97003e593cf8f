/** What the quarantine tells, and where else it tells it. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { english } from '../../src/console/language/words.ts';
import { visitConsole, webhook, type Visit } from './kit/console-browser.ts';
import { textOf } from '../support/page-text.ts';

let visit: Visit;

beforeEach(async () => {
  visit = await visitConsole();
});

afterEach(() => visit.close());

const invalid = (id: number | string, amount: unknown, more: object = {}) =>
  webhook('charge.updated', { id, amount, ...more });
const text = async (path: string): Promise<string> => textOf((await visit.open(path)).html);

describe('a held webhook', () => {
  it('belongs to the story of its subject, beside its events, and without any', async () => {
    await visit.setup.receive(webhook('charge.updated', { id: 118 }));
    await visit.setup.receive(invalid(118, 'twelve'));
    await visit.setup.receive(invalid(119, 'twelve'));
    expect(await text('/subjects/charge:118')).toContain(
      '1 webhook about this subject in quarantine: no handler has received it',
    );
    const alone = await visit.open('/subjects/charge:119');
    expect(alone.status).toBe(200);
    expect(textOf(alone.html)).toContain('1 webhook about this subject in quarantine');
    expect(alone.html).toContain('href="/quarantine/q2"');
  });

  it('is found by a search for its subject, and for what it says', async () => {
    await visit.setup.receive(invalid(118, 12, { status: 'new-word', id: 118.5 }));
    expect(await text('/events?text=new-word')).toContain('1 webhook in quarantine matches, too');
    expect(await text('/events?text=other-word')).not.toContain('in quarantine match');
    expect(await text('/events?text=new-word&verdict=new')).not.toContain('in quarantine match');
    expect(await text('/events?kind=charge.*')).not.toContain('in quarantine match');
  });

  it('says how often it came, when last, and whether it goes on', async () => {
    for (let time = 0; time < 3; time += 1) {
      await visit.setup.receive(invalid(118, 'twelve'));
      visit.setup.clock.advance(60_000);
    }
    await visit.setup.receive(invalid(119, 'twelve'));
    const list = await text('/quarantine');
    expect(list).toMatch(/data\.amount charge\.updated 2 2 4 times, last now still arriving/u);
    expect(list).toMatch(/charge:118 .*? 3 times, last 1 min\. ago still arriving/u);
    expect(list).not.toContain('once still arriving');
    visit.setup.clock.advance(200_000);
    expect(await text('/quarantine')).not.toContain('still arriving');
  });

  it('shows the value that does not fit, but no personal one and no likely one', async () => {
    await visit.setup.receive(invalid(1, 'twelve'));
    await visit.setup.receive(invalid(2, 'of 529.982.247-25'));
    expect(await text('/quarantine/q1')).toMatch(/data\.amount expected a number .*? "twelve"/u);
    // A CPF as a number has lost the zeros at its front.
    await visit.setup.receive(webhook('charge.updated', { id: 5, status: 12345678 }));
    expect(await text('/quarantine/q3')).not.toContain('12345678');
    await visit.setup.receive(webhook('company.updated', { id: 3, address: 'Rua A 12' }));
    expect(await text('/quarantine/q4')).not.toContain('Rua A');
    await visit.setup.receive(invalid(4, 'Maria Souza'));
    expect(await text('/quarantine/q5')).not.toContain('Maria');
    const likely = await text('/quarantine/q2');
    expect(likely).not.toContain('529');
    expect(await text('/quarantine/q2?unmask=true')).toContain('"of 529.982.247-25"');
  });

  it('says in Portuguese what does not match; hidden and absent are two things', async () => {
    await visit.setup.receive(webhook('charge.updated', { id: undefined }));
    await visit.setup.receive(webhook('company.updated', { id: 3, tax_id: 12 }));
    const page = await visit.open('/quarantine/q1', { 'accept-language': 'pt-BR' });
    expect(textOf(page.html)).toMatch(/é obrigatório: esperava-se um número inteiro até \d+ ausente/u);
    expect(await text('/quarantine/q2')).toContain('received a number hidden As it was sent');
  });

  it('opens its body at what does not fit', async () => {
    await visit.setup.receive(invalid(1, 'twelve'));
    expect((await visit.open('/quarantine/q1')).html).toMatch(
      /<span class="name">&quot;amount&quot;<\/span>: <mark>&quot;twelve&quot;<\/mark>/u,
    );
  });

  it('offers no release that would not pass', async () => {
    await visit.setup.receive(invalid(1, 'twelve'));
    const { html } = await visit.open('/quarantine/q1');
    expect(textOf(html)).toContain('It cannot be released. The sender must send it again.');
    expect(html).not.toContain('action="/quarantine/release"');
  });
});

describe('a held webhook whose kind and subject came later as an event', () => {
  it('is marked, can be discarded with its like, and is no problem any more once all did', async () => {
    for (const id of [1, 2]) await visit.setup.receive(invalid(id, 'twelve'));
    visit.setup.clock.advance(1_000);
    await visit.setup.receive(webhook('charge.updated', { id: 1 }));
    expect(await text('/')).toMatch(
      /2 webhooks of charge\.updated .* 1 of 2 has a later valid webhook of the same kind/u,
    );
    expect(await text('/'), 'the menu counts what still needs somebody').toContain('Quarantine 1 ');
    const [group] = await visit.setup.store.problemGroups();
    const problem = await visit.open(`/quarantine?problem=${group?.problem ?? ''}`);
    expect(textOf(problem.html)).toMatch(
      /Discard 1 with a later valid one… .* Discard these 2 .* 1 of 2 has a later valid webhook/u,
    );
    expect(textOf(problem.html).match(/once a later one is valid/gu)).toHaveLength(1);
    expect(await text('/quarantine/q1')).toContain('The sender must send it again. a later one is valid');
    expect(await text('/subjects/charge:1')).toContain('once a later one is valid');
    expect(await text('/quarantine/q2')).not.toContain('a later one');

    await visit.setup.receive(webhook('charge.created', { id: 2 }));
    expect(await text('/quarantine')).toMatch(
      /2 webhooks in quarantine, 1 needs you .*1 of 2 has a later valid webhook/u,
    );
    await visit.setup.receive(webhook('charge.updated', { id: 2 }));
    expect(await text('/quarantine')).toContain(
      '2 of 2 have a later valid webhook of the same kind and subject.',
    );
    expect(await text('/')).not.toMatch(/in quarantine:|Quarantine \d/u);
    visit.setup.clock.advance(1_000);
    await visit.setup.receive(invalid(2, 'twelve'));
    expect(await text('/')).toContain('1 of 2 has a later valid webhook');
  });
});

describe('the report for the sender', () => {
  it('names times, ids, field, expectation and an example, in two languages', async () => {
    await visit.setup.receive(invalid(118, 'twelve'), { messageId: 'm1' });
    const one = await text('/quarantine/q1');
    expect(one).toContain('We could not accept 1 webhook of yours:');
    expect(one).toContain('Não pudemos aceitar 1 webhook enviado por vocês:');
    expect(one).toMatch(
      /Field: data\.amount Problem: expected a number .*? Right, for example: 400\.00 Sent/u,
    );
    expect(one).toContain('Sent, for example: "twelve"');
    expect(one).toContain('Problema: esperava-se um número (reais), veio um texto');
    expect(one).toMatch(/- \d{4}-\d{2}-\d{2}T\S+ charge\.updated charge:118 m1/u);
  });

  it('has the shape of a text that may be personal, and a dash where no id came', async () => {
    await visit.setup.receive(invalid(4, 'Maria, 529.982.247-25'));
    const one = await text('/quarantine/q1');
    expect(one).toContain('Sent, for example: text: AAAAA, 999.999.999-99');
    expect(one).toContain('charge.updated charge:4 – Please');
  });

  it('lists up to 200 of the webhooks of a problem, and says how many more there are', async () => {
    for (let id = 1; id <= 201; id += 1) await visit.setup.receive(invalid(id, 'twelve'));
    const [group] = await visit.setup.store.problemGroups();
    const page = await text(`/quarantine?problem=${group?.problem ?? ''}`);
    expect(page).toMatch(/Webhooks: 201 \(.*? charge:2 – - and 1 more Please/u);
  });

  it('names the kinds of its webhooks, and that of each', async () => {
    for (const [id, kind] of ['created', 'updated', 'updated'].entries())
      await visit.setup.receive(`{"type":"charge.${kind}","data":{"id":1${String(id)},"amount":4`);
    const [group] = await visit.setup.store.problemGroups();
    const page = await text(`/quarantine?problem=${group?.problem ?? ''}`);
    expect(page).toContain('Kind: charge.updated, charge.created Field:');
    expect(page).toMatch(/Z charge\.updated charge:12 – .*Z charge\.created charge:10 – Please/u);
  });

  it('is of all webhooks of a problem on its page', async () => {
    for (const id of [1, 2, 3])
      await visit.setup.receive(invalid(id, 'twelve'), { messageId: `m${String(id)}` });
    const [group] = await visit.setup.store.problemGroups();
    const page = await text(`/quarantine?problem=${group?.problem ?? ''}`);
    expect(page).toContain('We could not accept 3 webhooks of yours:');
    expect(page).toMatch(/charge:3 m3 - .*? charge:2 m2 - .*? charge:1 m1/u);
  });
});

describe('webhooks that are not UTF-8', () => {
  const pt = { 'accept-language': 'pt-BR' };
  const latin1 = (id: number) =>
    visit.setup.receive(
      Buffer.from(JSON.stringify(webhook('company.updated', { id, name: 'Açaí' })), 'latin1'),
    );

  it('are for their sender: named by what Latin-1 reads, with the byte, and never offered for a release', async () => {
    for (let id = 1; id <= 7; id += 1) await latin1(id);
    expect(await text('/')).toMatch(
      /7 webhooks in quarantine: cannot be read\. The body is not UTF-8 Seen now.* Ask the/u,
    );
    const list = await visit.open('/quarantine');
    expect(textOf(list.html)).toMatch(
      /The body is not UTF-8 – company\.updated \(a guess\) 7 7 7 times, .* 0 of 7 Report… Discard…/u,
    );
    expect(textOf(list.html)).toContain('None can be released. The sender must send them again.');
    expect(textOf(list.html)).toMatch(/company\.updated \(a guess\) company:7 The body is not UTF-8 once/u);
    const report = /href="([^"]*open=report)"/u.exec(list.html)?.[1]?.replace('&amp;', '&') ?? '';
    expect((await visit.open(report)).html).toMatch(/id="report" open="">.*?<textarea[^>]* autofocus=""/u);
    expect(list.html).not.toContain('action=release');
    const [group] = await visit.setup.store.problemGroups();
    const problem = await text(`/quarantine?problem=${group?.problem ?? ''}`);
    expect(problem).toMatch(/Sent to: \/webhooks Kind: company\.updated .* company:7 – - .* company:1 /u);
    expect(problem).toMatch(/the byte 0xE7 at offset \d+, which is ç in Latin-1/u);
    const entry = textOf((await visit.open('/quarantine/q1?unmask=true', pt)).html);
    expect(entry).toContain('O corpo não está em UTF-8');
    expect(entry).toContain('(mostrado como Latin-1)');
    expect(entry).toContain('"Açaí"');
    expect(entry).toContain('Não pode ser liberado. O remetente precisa enviá-lo de novo.');
    expect(await text('/quarantine/q1')).toContain('"tax_id" : ***');
  });

  it('are found by the subject and the text that they seem to have', async () => {
    await latin1(7);
    await latin1(8);
    expect(await text('/subjects/company:7')).toContain('1 webhook about this subject in quarantine');
    expect(await text('/events?subject=company:7')).toContain('1 webhook in quarantine matches, too');
    expect(await text('/events?text=A%C3%A7a%C3%AD&kind=company.*&unmask=true')).toContain(
      '2 webhooks in quarantine',
    );
    expect(await text('/events?subject=company:9')).not.toContain('in quarantine match');
  });

  it.each([
    [[0xef, 0xbf, 0xbd, 0x20, 0xe7, 0x61], '0xE7 at offset 4, which is ç'],
    [[0x20, 0xef, 0x61], '0xEF at offset 1, which is ï'],
    [[0x20, 0xef, 0xbf], '0xEF at offset 1, which is ï'],
  ])('are reported by their first wrong byte, also beside a valid U+FFFD: %j', async (bytes, said) => {
    await visit.setup.receive(Buffer.from(bytes));
    expect(await text('/quarantine/q1')).toContain(`the byte ${said}`);
  });

  it('that are no text in Latin-1 either are named by nothing', async () => {
    await visit.setup.receive(Buffer.from([0x7b, 0xff, 0x00]));
    expect(await text('/quarantine/q1')).toMatch(/the byte 0xFF at offset 1 First:/u);
  });
});

describe('webhooks whose body ends too early', () => {
  const cut = (end: string) =>
    visit.setup.receive(`{"type":"charge.updated","data":{"id":118,"note":"a, \\"{\\"","amount":4${end}`);

  it('are for their sender: named by what can be read, where they end, and never offered for a release', async () => {
    await cut('');
    await cut('5,"status":"pa');
    await visit.setup.receive('{"type":"charge.updated","data":{"id":11');
    expect(await text('/')).toMatch(/it ends too early, at .* Ask the sender .* Report/u);
    const reads = vi.spyOn(visit.setup.store, 'quarantinedDelivery');
    expect((await visit.open('/')).html).not.toContain(english.problems.action('/quarantine'));
    expect(reads, 'a page that refreshes itself').not.toHaveBeenCalled();
    const list = await visit.open('/quarantine');
    expect(textOf(list.html)).toMatch(/charge\.updated \(a guess\) 3 charge:118 3 times/u);
    expect(list.html).not.toContain('action=release');
    expect(await text('/quarantine/q1')).toMatch(
      /Sent to: \/webhooks Kind: charge\.updated .*corpo não é JSON: termina cedo demais, na linha 1, coluna 71 .*charge:118/u,
    );
    expect(await text('/quarantine/q2')).toContain('q2 · charge.updated (a guess) · charge:118');
    expect(await text('/quarantine/q3')).toMatch(/Kind: charge\.updated .*Z charge\.updated – – /u);
    expect(await text('/subjects/charge:118')).toContain('2 webhooks about this subject in quarantine');
    const portuguese = textOf((await visit.open('/', { 'accept-language': 'pt-BR' })).html);
    expect(portuguese).toMatch(/corpo não é JSON: termina cedo demais/u);
  });

  it.each([
    ['{"data":{"id":118},"type":"charge.updated"', 'charge:118'],
    ['{"type":"charge.updated","data":{"paid":true,"id": 118 ', 'charge:118'],
    ['{"type":"charge.updated","data":{"paid":true,"id":118', '–'],
    ['{"data":{"id":118},"type":"charge.updated","note":"a\\"', 'charge:118'],
    ['{"data":{"id":118},"type":"charge.updated","note"', 'charge:118'],
    ['{"data":{"id":118},"type":"charge.updated","note":"a\\', 'charge:118'],
    ['{"type":"charge.updated","data":{"id":118,"company":{}', 'charge:118'],
  ])('keep their last member if its value is whole: %s', async (body, subject) => {
    await visit.setup.receive(body);
    expect(await text('/quarantine/q1')).toContain(`charge.updated ${subject} – Please`);
  });
});

describe('a problem of the quarantine', () => {
  it('is grouped by problem, and released as a plan', async () => {
    for (const id of ['seven', 'eight', 'nine'])
      await visit.setup.receive({ type: 'charge.updated', data: { id } });
    await visit.setup.receive('{"no": "envelope"}');
    const page = await visit.open('/quarantine');
    expect(textOf(page.html)).toContain('4 webhooks in quarantine');
    expect(page.html.match(/class="kind"/gu)).toHaveLength(2);
    expect(textOf(page.html)).toMatch(/data\.\S+ charge\.updated 3 /u);
    expect(textOf(page.html)).toContain('0 of 3');

    const [, problem = ''] =
      /\/quarantine\?problem=([0-9a-f]{12})">[^<]*<\/a>(?:<\/div>)?<\/td><td[^>]*>(?:<div[^>]*>)?data/u.exec(
        page.html,
      ) ?? [];
    const plan = await visit.open(`/plan?action=release&problem=${problem}`);
    expect(textOf(plan.html)).toContain('None can be released. The sender must send them again.');
    expect(textOf(plan.html)).toContain(english.plans.noneCan);
    expect(plan.html).not.toContain('action="/plan/start"');
    const { body } = await visit.setup.post('/api/plans', { action: 'release', problem });
    await visit.setup.post('/api/jobs', { plan: body['plan'] });
    await visit.setup.runJobs();
    expect(await visit.setup.store.job('j1')).toMatchObject({ state: 'finished', acted: 0, leftAlone: 3 });
    const job = textOf((await visit.open('/jobs/j1')).html);
    expect(job).toContain(english.jobs.states.idle);
    expect(job).toMatch(/Not released 3 .*Still against the contract/u);

    const group = await visit.open(`/quarantine?problem=${problem}`);
    expect(textOf(group.html).match(/Discard\b(?! 3)/gu), 'once, above the table').toHaveLength(1);
    expect(textOf(group.html)).toContain('Discard these 3 webhooks');
    const upTo = /name="up_to" value="(q\d+)"/u.exec(group.html)?.[1] ?? '';
    await visit.setup.receive({ type: 'charge.updated', data: { id: 'ten' } });
    const fields = { problem, up_to: upTo, reason: 'the sender is mended' };
    const sent = await visit.send('/quarantine/discard', fields, { from: `/quarantine?problem=${problem}` });
    expect(sent.location).toBe('/quarantine?discarded=3');
    expect(textOf((await visit.open('/quarantine?discarded=3')).html)).toContain('3 webhooks discarded.');
    const left = await visit.setup.store.quarantined({ status: 'held' }, { order: 'oldest', limit: 9 });
    expect(left.map(({ id }) => id)).toEqual(['q4', 'q5']);
  });

  it('discards an entry that cannot become an event, and the audit has the reason', async () => {
    await visit.setup.receive('{"no": "envelope"}');
    const entry = await visit.open('/quarantine/q1');
    expect(textOf(entry.html)).toContain('Discard this webhook');
    const send = (reason: string) =>
      visit.send('/quarantine/discard', { entry: 'q1', reason }, { from: '/quarantine/q1' });
    expect((await send(' ')).status).toBe(400);
    expect((await send('a test of the sender')).location).toBe('/quarantine?discarded=1');
    expect(textOf((await visit.open('/')).html)).not.toContain('in quarantine');
    const audited = await visit.setup.store.audit(
      { action: 'discardQuarantine' },
      { order: 'newest', limit: 1 },
    );
    expect(audited).toMatchObject([{ reason: 'a test of the sender', result: 'done' }]);
    const gone = await visit.open('/quarantine/q1');
    expect(gone.status).toBe(404);
    expect(textOf(gone.html)).toMatch(
      /q1 is no longer in the quarantine .* discarded it: .*: a test of the sender Audit/u,
    );
    expect(await text('/quarantine/q2')).toContain('The address may be mistyped');
  });

  it('that retention removed is said to be gone, without a discard', async () => {
    await visit.setup.receive('{"no": "envelope"}');
    await visit.setup.store.pruneQuarantine([1], visit.setup.clock.now() + 1);
    expect(await text('/quarantine/q1')).toContain('It was released, discarded or removed by retention.');
  });
});
