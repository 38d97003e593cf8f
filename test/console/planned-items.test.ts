/** What the page of a plan shows of the items that it would change. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { english } from '../../src/console/language/words.ts';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { planOf, startPlan, visitConsole, webhook, type Visit } from './kit/console-browser.ts';
import { textOf } from '../support/page-text.ts';

let visit: Visit;

beforeEach(async () => {
  visit = await visitConsole();
});

afterEach(() => visit.close());

describe('what a plan is about', () => {
  it('of a retry: its first deliveries with their subjects, handlers and errors', async () => {
    visit.setup.failing = 'the ledger is closed';
    for (let id = 1; id <= 12; id += 1) await visit.setup.receive(webhook('charge.updated', { id }));
    await visit.setup.settle();
    const { html } = await visit.open('/plan?action=retry&handler=billing');
    expect(textOf(html)).toContain('The oldest 10 of 12');
    expect(html).toContain('href="/subjects/charge%3A1"');
    expect(textOf(html)).toContain('charge.updated charge:1 billing Error: the ledger is closed');
  });

  it('of a release: what each webhook that is valid now would become, after those before it', async () => {
    const company = (id: number, updated_at: string) => webhook('company.updated', { id, updated_at });
    const send = (body: object, messageId?: string) =>
      visit.setup.receive(body, messageId === undefined ? {} : { messageId });
    await send(company(1, '2026-11-20T10:00:00Z'), 'm1');
    // Their message id was used before: they are held, and valid by their content.
    await send(company(2, '2026-11-20T10:00:00Z'), 'm1');
    await send(company(2, '2026-11-20T09:00:00Z'), 'm1');
    await send(company(3, '2026-11-20T10:00:00Z'), 'm1');
    await send(company(3, '2026-11-20T10:00:00Z'));
    await send({ type: 'charge.updated', data: { id: 'seven' } });

    const plan = await visit.open('/plan?action=release');
    const text = textOf(plan.html);
    expect(text).toContain('3 of 4 match the contract now');
    expect(text).toMatch(
      /What the valid ones would become Verdict Meaning Webhooks new .*? 1 stale .*? 1 repeat .*? 1 Why/u,
    );
    const token = planOf(plan);
    await visit.send('/plan/start', { plan: token, stop_at: '20' });
    await visit.setup.runJobs();
    const verdicts = (await visit.setup.store.events({}, { order: 'oldest', limit: 9 })).map(
      ({ subject, verdict }) => `${subject.id} ${verdict}`,
    );
    expect(verdicts).toEqual(['1 new', '3 new', '2 new', '2 stale']);
  });

  it('of a release: its first webhooks and the handlers that will run', async () => {
    await visit.setup.receive({ type: 'charge.updated', data: { id: 'seven' } });
    expect(textOf((await visit.open('/plan?action=release')).html)).not.toContain('Will run');
    for (const version of ['2026-11-20T10:00:00Z', '2026-11-20T09:00:00Z'])
      await visit.setup.receive(webhook('charge.updated', { id: 7, updated_at: version }), {
        messageId: 'm1',
      });
    const { html } = await visit.open('/plan?action=release');
    expect(html).toContain('href="/quarantine/q2"');
    expect(textOf(html)).toMatch(/Will run .* q2 charge\.updated .* billing, charge-status/u);
  });

  it('of a release: how many run and what is only stored, also on the page of one and of the job', async () => {
    await visit.close();
    const ledger = defineHandler({
      name: 'ledger',
      on: ['company.updated'],
      handle: () => Promise.resolve(),
    });
    visit = await visitConsole({ definitions: [ledger] });
    const company = (id: number, hour: number) =>
      webhook('company.updated', { id, updated_at: `2026-11-20T1${String(hour)}:00:00Z` });
    for (const id of [1, 7, 8]) await visit.setup.receive(company(id, 0), { messageId: 'm1' });
    await visit.setup.receive(company(7, 1));
    await visit.setup.settle();

    const plan = await visit.open('/plan?action=release');
    const text = textOf(plan.html);
    expect(text).toContain('2 webhooks become events: 1 runs, 1 runs nothing.');
    expect(text).toContain(english.plans.overtaken(1, ['ledger']));
    expect(text).toMatch(/Will run q1 .*? no handler q2 .*? ledger .*Overtaken by newer events/u);
    expect(textOf((await visit.open('/quarantine/q1')).html)).toContain(
      `${english.quarantine.valid} ${english.quarantine.behind('ledger', 1, 'company:7')}`,
    );
    await startPlan(visit, plan);
    await visit.setup.runJobs();
    const job = textOf((await visit.open('/jobs/j1')).html);
    expect(job).toMatch(/Ran 1 Failed 0 Not released 0 Stored without running 1 Ran .* company:8 ledger/u);
  });

  it('is told in the quarantine when nothing of it can be released, also of one webhook', async () => {
    await visit.setup.receive({ type: 'charge.updated', data: { id: 'seven' } });
    const { html } = await visit.open('/quarantine');
    expect(textOf(html)).toContain('It cannot be released. The sender must send it again.');
    expect(textOf(html)).not.toContain('Release all…');
    expect(textOf((await visit.open('/quarantine/q1')).html)).toContain('It cannot be released.');
  });
});

it('that run a second time are counted without what is left out, and the event that overtook is named', async () => {
  const { setup } = visit;
  const changed = (id: number, day: number) =>
    webhook('charge.updated', { id, updated_at: `2026-11-${String(day)}T10:00:00Z` });
  await setup.receive(changed(1, 10));
  await setup.receive(changed(2, 10));
  setup.clock.advance(60_000);
  const until = new Date(setup.clock.now()).toISOString();
  const { id } = await setup.receive(changed(1, 12));
  await setup.settle();
  const address = `/plan?action=replay&handlers=billing&if_not_succeeded=false&until=${until}`;
  const { html } = await visit.open(address);
  expect(textOf(html)).toContain(
    'WARNING: This one has succeeded already. If the target stored it, it will be there twice.',
  );
  expect(textOf(html)).toMatch(/charge\.updated charge:1 billing \S+-3 /u);
  expect(html).toContain(`<a href="/events/${id ?? ''}">`);
});

it('of a replay are an example of what is overtaken, with the number and a way to all events', async () => {
  const changed = (id: number, day: number) =>
    webhook('charge.updated', { id, updated_at: `2026-11-${String(day)}T10:00:00Z` });
  for (const id of [1, 2]) await visit.setup.receive(changed(id, 10));
  visit.setup.clock.advance(60_000);
  const until = new Date(visit.setup.clock.now()).toISOString();
  for (const id of [1, 2]) await visit.setup.receive(changed(id, 12));
  await visit.setup.settle();
  const { html } = await visit.open(`/plan?action=replay&handlers=billing&until=${until}`);
  expect(textOf(html)).toContain(english.plans.examples(1, 2));
  expect(html).toContain(`<a href="/events?${new URLSearchParams({ until }).toString()}">`);
});

it('of a replay name the window in which nothing matches', async () => {
  await visit.setup.receive(webhook('charge.updated', { id: 1 }));
  await visit.setup.settle();
  const shown = async (more: string) =>
    textOf((await visit.open(`/plan?action=replay&handlers=${more}`)).html);
  const early = 'billing&since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z';
  expect(await shown(early)).toMatch(
    /Selection: since .+, until .+ \( \S+ \), handlers billing Nothing matches: there/u,
  );
  expect(await shown(`${early}&kind=charge.*`)).toContain('kinds charge.*, since');
});
