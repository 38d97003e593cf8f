/** The groups of failures, and what a retry or a discard of them does. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { english } from '../../src/console/language/words.ts';
import { defineHandler } from '../../src/handle/define/handler.ts';
import {
  chargeUpdate as charge,
  failCharges,
  startPlan,
  visitConsole,
  webhook,
  type LoadedPage,
  type Visit,
} from './kit/console-browser.ts';
import { textOf } from '../support/page-text.ts';

let visit: Visit;

beforeEach(async () => {
  visit = await visitConsole();
});

afterEach(() => visit.close());

const failures = (count: number, error: string, from = 1): Promise<void> =>
  failCharges(visit, { count, error, from });

const start = (page: LoadedPage, fields: Readonly<Record<string, string>> = {}): Promise<LoadedPage> =>
  startPlan(visit, page, fields);

describe('failures', () => {
  it('are grouped by kind of error, with count and a sample, and lead to their deliveries', async () => {
    await failures(2, 'no order 4711 for "Ana"');
    await failures(1, 'the ledger is closed', 10);
    const page = await visit.open('/failures');
    expect(textOf(page.html)).toContain('3 deliveries failed');
    expect(textOf(page.html)).toMatch(
      /Error: the ledger is closed .*Error: no order … for "…" billing 2 .* still happening 2 Pause… Retry… Discard…/u,
    );

    const links = [...page.html.matchAll(/class="kind" href="([^"]+)"/gu)].map(([, href]) => href ?? '');
    const group = await visit.open((links[1] ?? '').replaceAll('&amp;', '&'));
    expect(textOf(group.html)).toContain('Of billing, with this error');
    expect(group.html.match(/href="\/subjects|charge:\d+/gu)?.length).toBeGreaterThan(1);
    expect(textOf(group.html)).not.toContain('the ledger is closed');
    expect(group.html).toMatch(/href="\/plan\?action=retry&amp;handler=billing&amp;error=[0-9a-f]{12}"/u);
  });

  it('that go on lead to a pause first; a pause, or three times as long as usual without one, ends that', async () => {
    await failures(2, 'closed');
    const shown = async (path: string): Promise<string> => textOf((await visit.open(path)).html);
    expect(await shown('/')).toMatch(/2 deliveries to billing failed\..* Pause… Retry or discard/u);
    expect((await visit.open('/')).html).toContain('href="/handlers/billing?open=pause"');
    const opened = (await visit.open('/handlers/billing?open=pause')).html;
    expect(opened).toMatch(/id="pause" open="">.*<input name="reason"[^>]* autofocus=""/u);
    expect((await visit.open('/handlers/billing')).html).not.toContain('autofocus');
    visit.setup.clock.advance(31_000);
    expect(await shown('/')).not.toContain('Pause…');
    expect(await shown('/failures')).not.toContain('still happening');

    await failures(1, 'closed', 3);
    expect(await shown('/failures')).toContain('still happening');
    const primary = async () =>
      /class="button primary" href="([^"]+)"/u.exec((await visit.open('/failures')).html)?.[1];
    expect(await primary(), 'while it goes on').toBe('/handlers/billing?open=pause');
    expect((await visit.open('/failures')).html).toContain('<a class="button" href="/plan?action=discard">');
    await visit.send('/handlers/pause', { handler: 'billing', reason: 'a mend' }, { from: '/handlers' });
    expect(await shown('/failures')).not.toContain('still happening');
    expect(await primary(), 'once it is over').toBe('/plan?action=retry');
    expect(await shown('/')).not.toContain('Pause…');
  });

  it('are listed by when they failed: an old event that fails again is first', async () => {
    await failures(3, 'closed');
    const [oldest] = await visit.setup.store.deliveries({ status: 'dead' }, { order: 'oldest', limit: 1 });
    visit.setup.clock.advance(60_000);
    await visit.setup.post('/api/deliveries/retry', { ids: [oldest?.id] });
    await visit.setup.settle();
    const { html } = await visit.open('/failures');
    const rows = [...html.matchAll(/<tr id="(d\d+)"/gu)].map(([, id]) => id);
    expect([rows[0], rows.length]).toEqual([oldest?.id, 3]);
  });

  it('that a newer event has overtaken lead to a discard, and a retry is not what to do', async () => {
    await failures(2, 'closed');
    visit.setup.failing = false;
    await visit.setup.receive(charge(1, 'paid'));
    await visit.setup.settle();
    const some = await visit.open('/failures');
    expect(textOf(some.html)).toContain(english.groups.overtakenWhy(1));
    expect(textOf(some.html)).not.toContain(english.groups.goesOn);
    expect(some.html).toMatch(/class="button primary" href="\/plan\?action=retry"/u);

    await visit.setup.receive(charge(2, 'paid'));
    await visit.setup.settle();
    for (const path of ['/failures', '/handlers/billing']) {
      const { html } = await visit.open(path);
      expect(textOf(html), path).toMatch(/billing 2 2 overtaken .* Discard the 2 overtaken…/u);
      expect(html, path).not.toMatch(/class="button primary" href="\/plan\?action=retry/u);
    }
    expect(textOf((await visit.open('/')).html), 'as Failures does').not.toContain('Pause…');
    const link = /class="button primary" href="(\/plan\?action=discard[^"]*)"/u;
    const [, discard = ''] = link.exec((await visit.open('/failures')).html) ?? [];
    expect(discard.replaceAll('&amp;', '&')).toBe('/plan?action=discard&ids=d1&ids=d3');
  });

  it('of a company are selected by the address, and so are their plans', async () => {
    await failures(2, 'closed');
    const company = { id: 4712, name: 'Serra Azul' };
    await visit.setup.receive(webhook('charge.updated', { id: 77, company }));
    await visit.setup.settle();
    const { html } = await visit.open('/failures?company=4712');
    expect(new Set(html.match(/charge:\d+/gu))).toEqual(new Set(['charge:77']));
    expect(textOf(html)).toContain(english.groups.failures(1, 0));
    expect(html).toContain('href="/plan?action=retry&amp;company=4712"');
    const links = html.match(/href="\/(?:plan\?action=retry|failures\?)[^"]*error=[^"]*"/gu) ?? [];
    expect(
      links.map((link) => link.includes('company=4712')),
      'of the row',
    ).toEqual([true, true, true]);
    expect(html).toContain('href="/failures" aria-label="Remove the filter Company"');
    await visit.setup.receive(webhook('company.updated', { id: 4712 }));
    expect((await visit.open('/subjects/company:4712')).html).toContain('href="/failures?company=4712"');
    const ofHandler = (await visit.open('/failures?handler=billing&company=4712')).html;
    expect(ofHandler).toContain('href="/failures?company=4712" aria-label="Remove the filter Handler"');
    const wrong = await visit.open('/failures?company=abc');
    expect([wrong.status, textOf(wrong.html)]).toEqual([
      400,
      expect.stringContaining('Write the number of a company, for example 12') as string,
    ]);
    const plan = await visit.open('/plan?action=retry&company=4712');
    expect(textOf(plan.html)).toContain(english.plans.title('retry', 1));
    const job = await start(plan);
    expect(textOf((await visit.open(job.location ?? '')).html)).toContain('company 4712');
  });

  it('of a company say when older events were not searched for it', async () => {
    await failures(1, 'closed');
    const company = { id: 4712, name: 'Serra Azul' };
    await visit.setup.receive(webhook('charge.updated', { id: 77, company }));
    await visit.setup.settle();
    const { store } = visit.setup;
    const search = store.companySubjects.bind(store);
    let searches = 0;
    store.companySubjects = async (id, newest) => {
      searches += 1;
      return { ...(await search(id, newest)), partial: true };
    };
    const plan = await visit.open('/plan?action=retry&company=4712');
    expect(searches, 'of a plan and its items').toBe(1);
    await start(plan);
    expect(searches, 'of its start').toBe(2);
    for (const path of ['/failures?company=4712', '/plan?action=retry&company=4712'])
      expect(textOf((await visit.open(path)).html), path).toContain('Only the newest 250,000 events');
    for (const path of ['/api/failures?company=4712', '/api/deliveries?company=4712'])
      expect((await visit.setup.get(path)).body['partial'], path).toBe(true);
    const request = { action: 'retry', company: '4712' };
    expect((await visit.setup.post('/api/plans', request)).body['partial']).toBe(true);
  });

  it('that are tried again are counted apart', async () => {
    await visit.close();
    const ledger = defineHandler({
      ...{ name: 'ledger', on: ['charge.updated'], retry: { attempts: 3 } },
      handle: () => Promise.reject(new Error('the ledger is closed')),
    });
    visit = await visitConsole({ definitions: [ledger] });
    await visit.setup.receive(charge(1));
    await expect.poll(() => visit.setup.store.failureGroups({})).toHaveLength(1);
    const text = textOf((await visit.open('/failures')).html);
    expect(text).toContain(english.groups.failures(0, 1));
    expect(text).toMatch(/Error: the ledger is closed ledger 0 \+ 1 retrying /u);
    expect(text).not.toContain('No delivery has failed.');
  });
});
