import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { GiveUp } from '../../src/handle/define/outcome.ts';
import { startPlan, visitConsole, webhook, type Visit } from './kit/console-browser.ts';
import { textOf } from '../support/page-text.ts';

let visit: Visit;

beforeEach(async () => {
  visit = await visitConsole();
});

afterEach(() => visit.close());

const charge = (status: string, id = 7) =>
  webhook('charge.updated', { id, status, updated_at: '2026-11-20T10:00:00Z' });

const pause = (fields: Readonly<Record<string, string>>, from = '/handlers') =>
  visit.send('/handlers/pause', { reason: 'the ledger moves', until: '', back: from, ...fields }, { from });

/** The fields of the form that ends a pause. */
function resumeOf(html: string) {
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`, 'u').exec(html)?.[1] ?? '';
  return { pause: field('pause'), read: field('read'), back: '/' };
}

describe('a pause', () => {
  it('of a handler is set and ended with forms, and every page about it says so', async () => {
    const { status, location } = await pause({ handler: 'billing' });
    expect([status, location]).toEqual([303, '/handlers']);
    await visit.setup.receive(charge('pending'));
    await visit.setup.settle();

    const overview = (await visit.open('/')).html;
    expect(textOf(overview)).toContain('1 thing needs you');
    expect(textOf(overview)).toContain('Handler billing is paused, by a local user');
    expect(overview).toContain('href="/handlers/pauses/p1">Resume…</a>');
    const list = await visit.open('/handlers');
    expect(textOf(list.html)).toMatch(
      /Handler billing is paused, by a local user now: the ledger moves when it is resumed 1 Resume…/u,
    );
    const { html } = await visit.open('/handlers/pauses/p1');
    expect(textOf(html)).toMatch(/Starts 1 delivery of 1 subject .* charge:7 billing no limit of its own/u);
    expect(textOf((await visit.open('/subjects/charge:7')).html)).toContain('Handler billing is paused');

    // Another operator has paused it again meanwhile, for a reason that nobody has read on this page.
    await pause({ handler: 'billing', reason: 'customers were charged twice' });
    const old = await visit.send('/handlers/resume', resumeOf(html), { from: '/handlers' });
    expect([old.status, old.location]).toEqual([303, '/handlers/pauses/p1']);

    const again = await visit.open('/handlers/pauses/p1');
    expect(textOf(again.html)).toContain('customers were charged twice');
    const resumed = await visit.send('/handlers/resume', resumeOf(again.html), { from: '/handlers' });
    expect([resumed.status, resumed.location]).toEqual([303, '/?resumed=true']);
    expect(textOf((await visit.open('/?resumed=true')).html)).toContain('Resumed: what waited');
    await visit.setup.settle();
    expect(textOf((await visit.open('/')).html)).toContain('Nothing needs you');
    expect((await visit.setup.get('/api/deliveries?status=pending')).rows).toEqual([]);
  });

  it('names what failed before among what waits, where it is resumed', async () => {
    await visit.close();
    const ledger = defineHandler({
      ...{ name: 'ledger', on: ['charge.updated'], retry: { attempts: 3 } },
      handle: () => Promise.reject(new Error('the ledger is closed')),
    });
    visit = await visitConsole({ definitions: [ledger] });
    await visit.setup.receive(charge('pending'));
    await expect.poll(() => visit.setup.store.failureGroups({})).toHaveLength(1);
    await pause({ handler: 'ledger' });
    await visit.setup.receive(charge('paid', 8));
    const read = async (path: string) => textOf((await visit.open(path)).html);
    expect(await read('/')).toContain('2 waiting, 1 of them tried before Resume…');
    expect(await read('/handlers')).toContain('2 , 1 of them tried before Resume…');
    expect(await read('/handlers/pauses/p1')).toContain(
      '1 delivery has failed before and is tried again. Those that gave up stay under Failures.',
    );
    const [error] = await visit.setup.store.failureGroups({});
    const plan = await visit.open(`/plan?action=discard&error=${error?.error ?? ''}&reason=a+test`);
    expect(textOf(plan.html)).toContain('1 more still retries and is not discarded. Discard them, too…');
    const [, pending = ''] = /href="([^"]*status=pending[^"]*)"/u.exec(plan.html) ?? [];
    const both = textOf((await visit.open(pending.replaceAll('&amp;', '&'))).html);
    expect(both, 'never what was not tried').toContain('Discard 1 delivery? Reason: a test');
  });

  it('lets what waits at the head of a lane be skipped, from the page that shows it and back', async () => {
    await pause({ handler: 'billing' });
    await visit.setup.receive(charge('pending'));
    await visit.setup.settle();
    const { html } = await visit.open('/subjects/charge:7');
    const skip =
      /href="(\/plan\?action=discard[^"]*)">Discard this/u.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const referer = 'http://127.0.0.1:9090/subjects/charge:7';
    expect((await visit.open(skip, { referer })).html).toContain('name="back" value="/subjects/charge:7"');
    const plan = await visit.open(`${skip}&reason=a+test&back=/subjects/charge:7`);
    expect(textOf(plan.html)).toContain('Discard 1 delivery? Reason: a test');
    expect(plan.html).toContain('<a class="button" href="/subjects/charge:7">Cancel');
    await startPlan(visit, plan);
    await visit.setup.runJobs();
    expect((await visit.setup.get('/api/deliveries?status=skipped')).rows).toHaveLength(1);
    const job = textOf((await visit.open('/jobs/j1?show=skipped')).html);
    expect(job).toMatch(/Discarded Event .* discarded /u);
    expect(job).not.toContain('skipped');
    const again = await visit.open('/plan?action=replay&handlers=billing');
    expect(textOf(again.html)).toContain('What this plan runs waits until it is resumed.');
  });

  it('of a lane is set on the page of its subject, for a while', async () => {
    await visit.setup.receive(charge('pending'));
    await visit.setup.settle();
    const from = '/subjects/charge:7';
    const { location } = await pause({ handler: 'billing', subject: 'charge:7', until: '1h' }, from);
    expect(location).toBe(from);
    expect(textOf((await visit.open(from)).html)).toContain(
      'Handler billing, subject charge:7 is paused, by a local user',
    );
    expect((await visit.setup.get('/api/pauses')).rows).toMatchObject([
      { until: '2026-11-20T13:00:00.000Z' },
    ]);
    expect(textOf((await visit.open('/subjects/charge:8')).html)).not.toContain('is paused');
  });

  it('of a source says that webhooks are still accepted', async () => {
    await visit.setup.receive(charge('pending'), { source: 'other' });
    await visit.setup.settle();
    expect(textOf((await visit.open('/handlers')).html)).toContain('are accepted');
    await pause({ source: 'other' });
    expect(textOf((await visit.open('/')).html)).toContain('Source other is paused');
  });

  it('of many lanes is one sentence', async () => {
    for (const id of [1, 2, 3, 4]) await visit.setup.receive(charge('pending', id));
    await visit.setup.settle();
    for (const id of [1, 2, 3, 4]) await pause({ handler: 'billing', subject: `charge:${String(id)}` });
    const text = textOf((await visit.open('/')).html);
    expect(text).toContain('1 thing needs you');
    expect(text).toContain('4 subjects are paused for billing.');
  });

  it('of a lane behind a failed delivery names it where the lane waits, and a button lets the lane go on', async () => {
    await visit.close();
    const patient = defineHandler({
      ...{ name: 'patient', on: 'charge.*', retry: { attempts: 1 }, afterDeadLetter: 'hold' },
      handle: ({ data }) =>
        JSON.stringify(data).includes('pending') ? GiveUp('no such account') : undefined,
    });
    visit = await visitConsole({ definitions: [patient] });
    await visit.setup.receive(charge('pending'));
    await visit.setup.settle();
    const { id } = await visit.setup.receive(charge('paid'));
    await visit.setup.settle();

    visit.setup.clock.advance(240_000);
    const waits =
      /patient has had nothing of charge:7 for 4 min: (?:1 event waits|its events wait) for the failed delivery d\d+\./u;
    for (const path of ['/', '/subjects/charge:7', `/events/${id}`])
      expect(textOf((await visit.open(path)).html), path).toMatch(waits);
    expect(textOf((await visit.open('/subjects/charge:7')).html)).toContain(
      'patient behind a failed delivery',
    );
    const portuguese = textOf((await visit.open('/handlers', { 'accept-language': 'pt-BR' })).html);
    expect(portuguese).toMatch(
      /há 4 min: 1 evento aguarda a entrega d\d+, que falhou\. .* tentada de novo ou descartada/u,
    );
    expect(portuguese).not.toMatch(/waits behind|resumed/u);
    expect(await (await visit.setup.request('/metrics')).text()).not.toContain('portaria_paused{');
    const [, plan = ''] =
      /href="(\/handlers\/pauses\/p\d+)"/u.exec((await visit.open('/handlers')).html) ?? [];
    expect((await visit.open('/')).html).toMatch(
      /href="\/plan\?action=retry&amp;ids=d\d+">Retry…<\/a><a href="\/handlers\/pauses\/p\d+">Go on without it…/u,
    );
    const { html } = await visit.open(plan);
    expect(textOf(html)).toMatch(/Retry (d\d+)… Discard \1… Go on without it/u);
    expect(html).toMatch(/class="button primary" href="\/plan\?action=retry/u);
    expect(textOf(html)).toMatch(/d\d+ stays failed, .* run without it\. charge.updated : no such account/u);
    for (const action of ['retry', 'discard'])
      expect(html).toContain(`href="/plan?action=${action}&amp;ids=d`);
    await visit.send('/handlers/resume', resumeOf(html), { from: plan });
    await visit.setup.settle();
    expect((await visit.setup.get('/api/deliveries?status=pending')).rows).toEqual([]);
  });

  it('of many lanes behind failed deliveries offers a retry of these, and says who waits', async () => {
    await visit.close();
    const patient = defineHandler({
      ...{ name: 'patient', on: 'charge.*', retry: { attempts: 1 }, afterDeadLetter: 'hold' },
      handle: () => GiveUp('no such account'),
    });
    visit = await visitConsole({ definitions: [patient] });
    for (const id of [1, 2, 3, 4]) await visit.setup.receive(charge('pending', id));
    await visit.setup.settle();
    await pause({ handler: 'billing', subject: 'charge:1' });
    const { html } = await visit.open('/');
    expect(textOf(html)).toMatch(
      /4 subjects wait, each behind a failed delivery of patient\. Retry… Go on without it…/u,
    );
    expect(textOf(html)).toContain('Handler billing, subject charge:1 is paused');
    const [, retry = ''] = /href="(\/plan\?action=retry&amp;ids=[^"]*)"/u.exec(html) ?? [];
    const plan = await visit.open(retry.replaceAll('&amp;', '&'));
    expect(textOf(plan.html)).toContain('Retry 4 deliveries?');
  });

  it('names what is wrong with a request, and changes nothing', async () => {
    const wrong = await pause({ handler: 'biling' });
    expect([wrong.status, textOf(wrong.html)]).toEqual([
      404,
      expect.stringContaining('There is no handler biling') as string,
    ]);
    expect((await visit.setup.get('/api/pauses')).rows).toEqual([]);
  });

  it('shows a reason as text, never as markup, and leads back to this console only', async () => {
    const { location } = await pause({
      handler: 'billing',
      reason: '<script>alert(1)</script>',
      back: '//evil.example',
    });
    expect(location).toBe('/');
    for (const path of ['/', '/handlers']) {
      const { html } = await visit.open(path);
      expect(html).not.toContain('<script>alert');
      expect(textOf(html)).toContain('<script>alert(1)</script>');
    }
  });
});

it('is neither offered nor permitted to a visitor who only reads', async () => {
  const reader = await visitConsole({ token: 'all', viewToken: 'look' });
  await reader.send('/sign-in', { token: 'look' }, { from: '/sign-in' });
  const { html } = await reader.open('/handlers');
  expect(html).not.toContain('/handlers/pause');
  const { status } = await reader.send('/handlers/pause', { handler: 'billing', reason: 'x' });
  expect(status).toBe(403);
  expect(await reader.setup.store.pauses()).toEqual([]);
  await reader.close();
});
