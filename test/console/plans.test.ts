import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { english } from '../../src/console/language/words.ts';
import { defineHandler } from '../../src/handle/define/handler.ts';
import {
  planOf,
  chargeUpdate as charge,
  failCharges,
  startPlan,
  visitConsole,
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

describe('a plan', () => {
  it('leaves out what later events have overtaken, shows it, and has a box that runs it', async () => {
    await failures(2, 'closed');
    visit.setup.failing = false;
    const { id: later } = await visit.setup.receive(charge(1, 'paid'));
    await visit.setup.settle();
    const page = await visit.open('/plan?action=retry&handler=billing');
    const text = textOf(page.html);
    expect(text).toContain(english.plans.overtaken(1, ['billing']));
    expect(text).toContain(english.plans.title('retry', 1, 2));
    expect(text).toMatch(new RegExp(`charge.updated charge:1 billing ${later}`, 'u'));
    const box = /<input type="checkbox" name="include_overtaken" value="true"(?: checked="")?\/>/u;
    expect(page.html).toMatch(box);

    const wider = await visit.open('/plan?action=retry&handler=billing&include_overtaken=true');
    expect(textOf(wider.html)).toContain(english.plans.title('retry', 2));
    expect(box.exec(wider.html)?.[0]).toContain('checked');
    expect(textOf(wider.html)).not.toContain('left out');
  });

  it('counts what it runs and what it leaves out once, and its job keeps why each was left alone', async () => {
    await failures(12, 'closed');
    visit.setup.failing = false;
    const overtake = async (id: number) => {
      const { id: by } = await visit.setup.receive(charge(id, 'paid'));
      await visit.setup.settle();
      return by;
    };
    const later = await overtake(1);
    for (const id of [2, 3]) await overtake(id);
    visit.setup.clock.advance(1000);
    const plan = await visit.open('/plan?action=retry&handler=billing');
    expect(textOf(plan.html)).toContain(english.plans.again);
    expect(plan.html).toContain('<button class="primary">Retry 9 deliveries</button>');
    expect(textOf(plan.html)).toMatch(/Retry 9 of 12 deliveries\? .* billing 9 9 0 .* All of them/u);
    // One more is overtaken, and one is retried, before the job starts.
    await overtake(4);
    const dead = (await visit.setup.store.deliveries({ status: 'dead' }, { order: 'oldest', limit: 9 })).map(
      ({ id }) => id,
    );
    await visit.setup.post('/api/deliveries/retry', { ids: [dead[4]] });
    await visit.setup.settle();
    await start(plan);
    await visit.setup.runJobs();
    expect(textOf((await visit.open('/audit')).html)).toContain('items 9 job j1 not changed 3');
    const job = await visit.open('/jobs/j1');
    expect(textOf(job.html)).toMatch(
      /Retry 9 of 12 deliveries .* Selected 12 Succeeded 7 Failed 0 Not run 5/u,
    );
    expect(textOf(job.html)).toContain(english.jobs.overtaken);
    expect(textOf(job.html)).toContain(english.jobs.changed(1));
    expect(textOf(job.html)).toContain('Discard the 4 overtaken…');
    expect(job.html).toContain(`href="/events/${later}">${later}`);
    visit.setup.clock.advance(60_000);
    await visit.setup.store.discardDeliveries(['d1'], { reason: 'old', now: visit.setup.clock.now() });
    const after = textOf((await visit.open('/jobs/j1')).html);
    expect(after).toMatch(
      new RegExp(`${english.jobs.why.overtaken} ${later} ${english.jobs.later.skipped} `, 'u'),
    );
    expect(after).not.toContain(english.jobs.why.discarded);

    const none = await visit.open('/plan?action=retry&handler=billing');
    expect(none.html).toMatch(/class="button primary" href="\/plan\?action=discard&amp;ids=d/u);
  });

  it('says what is older than what a handler has handled that takes all events', async () => {
    await visit.close();
    let failing = true;
    const mirror = defineHandler({
      ...{ name: 'mirror', on: ['charge.updated'], stale: true, retry: { attempts: 1 } },
      handle: () => (failing ? Promise.reject(new Error('closed')) : Promise.resolve()),
    });
    visit = await visitConsole({ definitions: [mirror] });
    const { id } = await visit.setup.receive(charge(1));
    await visit.setup.settle();
    failing = false;
    const later = await visit.setup.receive(charge(1, 'paid'));
    await visit.setup.settle();
    const event = await visit.open(`/events/${id}`);
    expect(event.html).toContain(`${english.event.older} <a href="/events/${later.id}">`);
    expect(event.html).toContain('href="/plan?action=discard&amp;ids=d3"');
    const plan = await visit.open('/plan?action=retry&handler=mirror');
    expect(textOf(plan.html)).toContain(`Retry 1 delivery?`);
    expect(textOf(plan.html)).toContain(english.plans.older(1));
    expect(plan.html).toContain('href="/plan?action=discard&amp;ids=d3"');
    const replay = await visit.open('/plan?action=replay&handlers=mirror&if_not_succeeded=true');
    expect(textOf(replay.html)).toContain(english.plans.older(1));
    expect(textOf(replay.html)).toContain(english.plans.leftOut('mirror', 1));
    expect(textOf(replay.html)).toMatch(/All of them .* charge.updated charge:1 mirror/u);
    expect(replay.html).toContain('if_not_succeeded=false">Run them again');
  });

  it('has a job with one way out for all that it leaves alone, also of other pages', async () => {
    // More failures in a row would open the breaker.
    for (const from of [1, 15]) {
      await failures(14, 'closed', from);
      visit.setup.failing = false;
      for (let id = from + 1; id < from + 14; id += 1) await visit.setup.receive(charge(id, 'paid'));
      await visit.setup.settle();
    }
    visit.setup.clock.advance(1000);
    await start(await visit.open('/plan?action=retry'));
    await visit.setup.runJobs();
    const { html } = await visit.open('/jobs/j1?show=left_alone');
    expect(textOf(html)).toContain('Discard the 26 overtaken…');
    expect(html).toContain('rel="next">Further');
  });

  it('is where a retry of an overtaken delivery leads to', async () => {
    await failures(1, 'closed');
    visit.setup.failing = false;
    await visit.setup.receive(charge(1, 'paid'));
    await visit.setup.settle();
    const { location } = await visit.send('/failures/retry', { delivery: 'd1' });
    const page = await visit.open(location ?? '');
    expect(textOf(page.html)).toContain(english.plans.overtaken(1, ['billing']));
    expect(textOf(page.html)).not.toContain(english.plans.nothing);
  });

  it('says how many, of which handlers and lanes, how old, and how many were retried before', async () => {
    await failures(3, 'closed');
    await visit.setup.store.retryDeliveries(['d1'], visit.setup.clock.now());
    await visit.setup.settle();
    const dead = await visit.setup.store.deliveries({ status: 'dead' }, { order: 'oldest', limit: 9 });
    const page = await visit.open('/plan?action=retry&handler=billing');
    expect(textOf(page.html)).toContain(`Retry ${String(dead.length)} deliveries?`);
    expect(textOf(page.html)).toMatch(/billing 3 3 [01] now/u);
    expect(await visit.setup.store.runningJobs()).toEqual([]);
  });

  it('runs in stages and finishes, with its results on the page of its job', async () => {
    await failures(15, 'closed');
    visit.setup.failing = false;
    const started = await start(await visit.open('/plan?action=retry'));
    expect(started).toMatchObject({ status: 303, location: '/jobs/j1' });
    const running = textOf((await visit.open('/jobs/j1')).html);
    expect(running).toMatch(/Retry 15 deliveries .* running 0 of 15/u);

    await visit.setup.runJobs();
    const text = textOf((await visit.open('/jobs/j1')).html);
    expect(text).toContain('15 of 15');
    expect(text).toMatch(/finished .*Succeeded 15 Failed 0/u);
    expect(text).toContain('3: up to 100');
    expect((await visit.open('/failures')).html).not.toContain('class="kind"');
  });

  it('that stopped shows what failed, and can be resumed', async () => {
    await failures(15, 'closed');
    await start(await visit.open('/plan?action=retry'));
    await visit.setup.runJobs();
    const stopped = textOf((await visit.open('/jobs/j1')).html);
    expect(stopped).toMatch(/stopped 1 of 1 failed/u);
    const tried = await visit.open('/failures');
    expect(textOf(tried.html), 'which job tried it last').toMatch(
      /still happening retried by j1 15 Pause… Retry… Discard…/u,
    );
    expect(stopped).toMatch(/Failed .*Error: closed/u);
    expect(stopped).toContain(
      'A resume runs only the 14 not begun; the 1 done is not run again. It starts with',
    );
    expect(stopped).toMatch(/Selected 15 Succeeded 0 Failed 1 Not run 0 Not begun 14/u);
    expect(await visit.setup.store.job('j1')).toMatchObject({ acted: 1, failed: 1 });

    visit.setup.failing = false;
    expect(await visit.send('/jobs/j1/resume', {})).toMatchObject({ status: 303 });
    expect(await visit.setup.store.job('j1')).toMatchObject({ state: 'running' });
  });

  it('whose items need it no longer says which, why, and what failed before that', async () => {
    await failures(15, 'closed');
    await start(await visit.open('/plan?action=retry'));
    await visit.setup.runJobs();
    visit.setup.failing = false;
    const dead = await visit.setup.store.deliveries({ status: 'dead' }, { order: 'oldest', limit: 99 });
    const ids = dead.map(({ id }) => id);
    await visit.setup.post('/api/deliveries/retry', { ids: ids.slice(0, 14) });
    await visit.setup.settle();
    await visit.setup.post('/api/jobs/j1/resume', {});
    await visit.setup.runJobs();

    const page = await visit.open('/jobs/j1');
    const text = textOf(page.html);
    expect(text).toMatch(/finished, with failures 15 of 15 /u);
    expect(text).toMatch(/Selected 15 Succeeded 1 Failed 1 Not run 13/u);
    expect(text).toMatch(/Error: closed .* Succeeded later: /u);
    const [link = ''] = /\/jobs\/j1\?show=left_alone/u.exec(page.html) ?? [];
    const left = await visit.open(link);
    expect(left.html.match(/Had succeeded before:/gu)).toHaveLength(13);
    const api = await visit.setup.get('/api/jobs/j1/items?result=left_alone&limit=2');
    expect(api.body).toMatchObject({
      data: [{ id: ids[1], why: 'succeeded' }, { id: ids[2] }],
      next: ids[2],
    });
    const { body } = await visit.setup.get('/api/jobs/j1/items');
    expect(body).toMatchObject({
      data: [
        {
          id: ids[0],
          result: 'failed',
          error: expect.stringContaining('closed') as string,
          status: 'succeeded',
        },
      ],
    });
  });

  it('is cancelled, and acts on nothing after that', async () => {
    await failures(3, 'closed');
    await start(await visit.open('/plan?action=retry'));
    await visit.send('/jobs/j1/cancel', {});
    await visit.setup.runJobs();
    expect(await visit.setup.store.job('j1')).toMatchObject({ state: 'cancelled', acted: 0 });
    expect(textOf((await visit.open('/jobs')).html)).toMatch(/j1 Retry cancelled 0 of 3/u);
    const overview = (): Promise<string> => visit.open('/').then(({ html }) => textOf(html));
    expect(await overview()).toContain(
      'Job j1 (Retry 3 deliveries) ended now with 3 not begun: cancelled by a local user. See the job',
    );
    visit.setup.clock.advance(13 * 3_600_000);
    expect(await overview(), 'after a shift').not.toContain('not begun');
  });

  it('that is cancelled counts nothing as not begun that its plan left out', async () => {
    await failures(3, 'closed');
    visit.setup.failing = false;
    await visit.setup.receive(charge(1, 'paid'));
    await visit.setup.settle();
    await start(await visit.open('/plan?action=retry'));
    await visit.send('/jobs/j1/cancel', {});
    expect(textOf((await visit.open('/')).html)).toMatch(
      /\(Retry 2 of 3 deliveries\) ended .* with 2 not begun/u,
    );
    expect(textOf((await visit.open('/jobs/j1')).html)).toMatch(/Selected 3 .* Not run 1 Not begun 2/u);
  });

  it('is shown again when more matches by now, and then starts', async () => {
    await failures(2, 'closed');
    const page = await visit.open('/plan?action=retry');
    visit.setup.clock.advance(1000);
    await failures(3, 'closed', 20);
    const asked = await start(page);
    expect(asked.status).toBe(200);
    expect(textOf(asked.html)).toContain('3 items more match by now');
    expect(textOf(asked.html)).toContain('Retry 5 deliveries?');
    expect(await visit.setup.store.runningJobs()).toEqual([]);

    visit.setup.clock.advance(1000);
    await failures(1, 'closed', 30);
    expect((await start(asked)).location).toBe('/jobs/j1');
    expect(await visit.setup.store.job('j1')).toMatchObject({ planned: 5 });
  });

  it('is rejected when it is altered or of another store', async () => {
    await failures(2, 'closed');
    const plan = planOf(await visit.open('/plan?action=retry'));
    for (const wrong of ['', 'x', `${plan}x`, `x${plan}`, `${plan}.${plan}`]) {
      const { status, html } = await visit.send('/plan/start', { plan: wrong });
      expect(status).toBe(400);
      expect(textOf(html)).toContain('This plan is of another store or another version');
    }
  });

  it('to discard needs a reason, which is stored', async () => {
    await failures(2, 'closed');
    const referer = 'http://127.0.0.1:9090/jobs/j7';
    const asked = await visit.open('/plan?action=discard&handler=billing', { referer });
    expect(textOf(asked.html)).toContain('Why discard 2 deliveries?');
    expect(asked.html).toMatch(/href="\/jobs"[^>]*aria-current="page"/u);
    const page = await visit.open('/plan?action=discard&handler=billing&reason=old+test');
    expect(textOf(page.html)).toContain('Discard 2 deliveries? Reason: old test');
    await start(page);
    expect(textOf((await visit.open('/audit?action=startPlan')).html)).toMatch(/job j1 old test done/u);
    await visit.setup.runJobs();
    const [discarded] = await visit.setup.store.deliveries(
      { status: 'skipped' },
      { order: 'oldest', limit: 1 },
    );
    expect(discarded?.lastError).toMatch(/^discarded by loopback at \S+: old test; before: Error: closed/u);
    const event = await visit.open(`/events/${discarded?.eventId ?? ''}`, { 'accept-language': 'pt-BR' });
    expect(textOf(event.html)).toMatch(
      /descartada .*Descartada por um usuário local, .+? \. Motivo: old test\. O erro anterior: Error: closed/u,
    );
    expect(textOf((await visit.open('/jobs/j1')).html)).toMatch(/finished .*Reason old test/u);
  });

  it('that has expired leads to the same plan, with its filter and reason, and back', async () => {
    await failures(2, 'closed');
    const path = '/plan?action=discard&handler=billing&reason=old+test';
    const page = await visit.open(path, { referer: 'http://127.0.0.1:9090/failures?handler=billing' });
    const fields = [...page.html.matchAll(/name="(expires|again)" value="([^"]+)"/gu)].map(
      ([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')],
    );
    visit.setup.clock.advance(600_000);
    const ended = await start(page, Object.fromEntries(fields) as Record<string, string>);
    expect([ended.status, textOf(ended.html)]).toEqual([
      400,
      expect.stringMatching(/Nothing was discarded: the plan expired at .*12:10:0/u) as string,
    ]);
    expect(ended.html).toContain('href="/failures?handler=billing">Back');
    const [, again = '', label] = /class="button primary" href="([^"]+)">([^<]+)/u.exec(ended.html) ?? [];
    expect(label).toBe('Show the plan again, with the same reason');
    const shown = await visit.open(again.replaceAll('&amp;', '&'));
    expect(textOf(shown.html)).toContain('Discard 2 deliveries? Reason: old test');
    expect((await start(shown)).location).toBe('/jobs/j1');
  });

  it('of nothing starts nothing', async () => {
    const { html } = await visit.open('/plan?action=retry&handler=nobody');
    expect(textOf(html)).toContain('Selection: handler nobody Nothing matches: there');
    expect(html).not.toContain('action="/plan/start"');
    expect(html).toContain(
      '<a class="button" href="/failures">Back</a><a href="/jobs">Jobs, and what became',
    );
    expect((await visit.open('/plan?action=erase')).status).toBe(400);
  });
});
