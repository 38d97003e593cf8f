/** What the quarantine tells, and where else it tells it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
      '1 webhook about this subject is held in quarantine, and no handler has seen it',
    );
    const alone = await visit.open('/subjects/charge:119');
    expect(alone.status).toBe(200);
    expect(textOf(alone.html)).toContain('1 webhook about this subject is held in quarantine');
    expect(alone.html).toContain('href="/quarantine/q2"');
  });

  it('is found by a search for its subject, and for what it says', async () => {
    await visit.setup.receive(invalid(118, 12, { status: 'new-word', id: 118.5 }));
    expect(await text('/events?text=new-word')).toContain('1 held webhook matches, too');
    expect(await text('/events?text=other-word')).not.toContain('held webhook');
    expect(await text('/events?text=new-word&verdict=new')).not.toContain('held webhook');
    expect(await text('/events?kind=charge.*')).not.toContain('held webhook');
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
    visit.setup.clock.advance(601_000);
    expect(await text('/quarantine')).not.toContain('still arriving');
  });

  it('shows the value that does not fit, but no personal one and no likely one', async () => {
    await visit.setup.receive(invalid(1, 'twelve'));
    await visit.setup.receive(invalid(2, 'of 529.982.247-25'));
    expect(await text('/quarantine/q1')).toMatch(/data\.amount expected a number .*? "twelve"/u);
    await visit.setup.receive(webhook('company.updated', { id: 3, address: 'Rua A 12' }));
    expect(await text('/quarantine/q3')).not.toContain('Rua A');
    await visit.setup.receive(invalid(4, 'Maria Souza'));
    expect(await text('/quarantine/q4')).not.toContain('Maria');
    const likely = await text('/quarantine/q2');
    expect(likely).not.toContain('529');
    expect(await text('/quarantine/q2?unmask=true')).toContain('"of 529.982.247-25"');
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
    expect(textOf(html)).toContain('It cannot be released');
    expect(html).not.toContain('action="/quarantine/release"');
  });
});

describe('the report for the sender', () => {
  it('names times, ids, field, expectation and an example, in two languages', async () => {
    await visit.setup.receive(invalid(118, 'twelve'), { messageId: 'm1' });
    const one = await text('/quarantine/q1');
    expect(one).toContain('We could not accept a webhook of yours:');
    expect(one).toContain('Não pudemos aceitar um webhook enviado por vocês:');
    expect(one).toMatch(/Field: data\.amount Expected: expected a number/u);
    expect(one).toContain('Sent, for example: "twelve"');
    expect(one).toMatch(/- \d{4}-\d{2}-\d{2}T\S+ charge:118 m1/u);
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
