import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { english } from '../../src/console/language/words.ts';
import {
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

const start = (page: LoadedPage): Promise<LoadedPage> => startPlan(visit, page);

describe('the list of jobs', () => {
  it('has pages', async () => {
    const { store, clock } = visit.setup;
    const pace = { staged: false, rate: null, stopAt: null, reason: null, requestedBy: 'ana' } as const;
    for (let at = 0; at < 60; at += 1)
      await store.createJob(
        { plan: String(at), action: 'retry', selection: { deliveries: {} }, planned: 0, ...pace },
        clock.now(),
      );
    const jobsOf = ({ html }: LoadedPage) =>
      [...html.matchAll(/href="\/jobs\/(j\d+)"/gu)].map(([, id]) => id);
    const first = await visit.open('/jobs');
    const next = /href="([^"]+)" rel="next"/u.exec(first.html)?.[1] ?? '';
    const second = await visit.open(next.replaceAll('&amp;', '&'));
    expect([jobsOf(first)[0], jobsOf(second)[0]]).toEqual(['j60', 'j10']);
    expect(new Set([...jobsOf(first), ...jobsOf(second)]).size).toBe(60);
    expect(second.html).not.toContain('rel="next"');
  });
});

describe('a replay', () => {
  it('is composed, planned, started and watched', async () => {
    for (const id of [1, 2, 3]) await visit.setup.receive(charge(id));
    await visit.setup.settle();
    const { html } = await visit.open('/jobs');
    expect(html).toContain('name="handlers" value="billing"');
    expect(html).toMatch(/<input type="radio" name="if_not_succeeded" value="true" checked=""/u);

    const plan = await visit.open('/plan?action=replay&handlers=billing&kind=charge.*&subject=');
    expect(textOf(plan.html)).toContain('Replay 3 deliveries?');
    expect(plan.html).not.toContain('href="/jobs/j');
    expect((await start(plan)).location).toBe('/jobs/j1');
    // A page that reads itself again could not be stopped without JavaScript.
    expect((await visit.open('/jobs/j1')).html).not.toContain('http-equiv="refresh"');
    await visit.setup.runJobs();
    expect(textOf((await visit.open('/jobs/j1')).html)).toMatch(
      /Replay 3 deliveries .*finished .*Succeeded 3/u,
    );
    expect(textOf((await visit.open('/jobs')).html)).toContain('3 of 3');
  });

  it('says which job has replayed some of the same before, and how many', async () => {
    for (const id of [1, 2, 3]) await visit.setup.receive(charge(id));
    await visit.setup.settle();
    visit.setup.clock.advance(60_000);
    await start(await visit.open('/plan?action=replay&handlers=billing&kind=charge.*'));
    await visit.setup.runJobs();
    const before = `<a href="/jobs/j1">${english.plans.replayedBefore('j1', 3)}</a>`;
    const shown = async (more: string) => (await visit.open(`/plan?action=replay&${more}`)).html;
    expect(await shown('handlers=billing&since=1h')).toContain(before);
    for (const other of [
      'handlers=billing&until=2026-01-01',
      'handlers=billing&kind=company.*',
      'handlers=charge-status',
    ])
      expect(await shown(other), other).not.toContain('href="/jobs/j1"');
  });

  it('of what was handled warns; its cancelled job lists what is left, and says who resumed it', async () => {
    for (const id of [1, 2, 3]) await visit.setup.receive(charge(id));
    await visit.setup.settle();
    const plan = await visit.open('/plan?action=replay&handlers=billing');
    expect(textOf(plan.html)).toContain(`WARNING: ${english.plans.twice(3, 3)}`);
    expect(plan.html).toContain('<button class="danger">Replay');
    await start(plan);
    await visit.send('/jobs/j1/cancel', {});
    const text = textOf((await visit.open('/jobs/j1')).html);
    expect(text).not.toContain('cancelled cancelled');
    expect(text).toContain('A resume runs only the 3 not begun. It starts with one.');
    expect(text).toMatch(/3 were not begun: cancelled by a local user\. .*charge:1 billing .*charge:3/u);

    await visit.send('/jobs/j1/resume', {});
    await visit.setup.runJobs();
    expect(textOf((await visit.open('/jobs/j1')).html)).toMatch(/finished .*Resumed a local user/u);
  });
});

describe('a visitor who may only read', () => {
  it('sees groups and jobs, and can plan and start nothing', async () => {
    await visit.close();
    visit = await visitConsole({ token: 'all', viewToken: 'view' });
    await failCharges(visit, { count: 1, error: 'closed' });
    await visit.send('/sign-in', { token: 'view' }, { from: '/sign-in' });
    const page = await visit.open('/failures');
    expect(textOf(page.html)).toContain('1 delivery failed');
    expect(page.html).not.toContain('/plan?');
    const { store, clock } = visit.setup;
    const job = {
      plan: 'x',
      action: 'retry',
      selection: { deliveries: {} },
      planned: 1,
      reason: null,
    } as const;
    await store.createJob(
      { ...job, staged: false, rate: null, stopAt: null, requestedBy: 'ana' },
      clock.now(),
    );
    for (const path of ['/failures', '/handlers/billing', '/jobs/j1'])
      expect(textOf((await visit.open(path)).html).split(english.frame.viewOnly), path).toHaveLength(2);
    expect((await visit.open('/plan?action=retry')).status).toBe(403);
    for (const path of ['/plan/start', '/jobs/j1/cancel', '/jobs/j1/resume'])
      expect((await visit.send(path, {}, { from: '/failures' })).status).toBe(403);
  });
});
