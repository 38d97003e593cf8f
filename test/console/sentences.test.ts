/** What the overview and the pages of machines and kinds say where a visitor would otherwise have to guess. */
import { afterEach, expect, it } from 'vitest';
import { untilPasses } from '../support/eventually.ts';
import { z } from 'zod';
import { extendContract } from '../../src/handle/kinds/extend-contract.ts';
import { defineKind } from '../../src/handle/kinds/kind-definition.ts';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { RetryLater } from '../../src/handle/define/outcome.ts';
import { textOf } from '../support/page-text.ts';
import { visitConsole, webhook, type Visit } from './kit/console-browser.ts';

let visit: Visit;

afterEach(() => visit.close());

it('the overview names the lane that has waited longest, how often it failed and why, and leads to its subject', async () => {
  const slips = defineHandler({
    name: 'slip-documents',
    on: 'company.created',
    // Longer than the test lets pass: no attempt runs while the page is made.
    retry: { attempts: 50, baseMs: 2_000_000_000, maxMs: 2_000_000_000 },
    handle() {
      throw new Error('404 no document for 123.456.789-09');
    },
  });
  visit = await visitConsole({ definitions: [slips] });
  await visit.setup.receive(webhook('company.created', { id: 3 }));
  await untilPasses(async () => {
    const [delivery] = await visit.setup.store.deliveries({}, { order: 'oldest', limit: 1 });
    expect(delivery).toMatchObject({ status: 'pending', attempts: 1 });
  });
  visit.setup.clock.advance(360_000);

  const { html } = await visit.open('/');
  expect(textOf(html)).toMatch(
    /company:3 waits for slip-documents\. Error: 404 no document for <cpf> The event came 6 min\. ago and failed \d+ times? since\./u,
  );
  expect(html).toContain('href="/subjects/company%3A3"');
  expect(textOf((await visit.open('/', { 'accept-language': 'pt-BR' })).html)).toContain(
    'company:3 aguarda slip-documents',
  );
});

it('the overview names the handler that has taken the places of all, and not each lane that waits for one', async () => {
  const gates: (() => void)[] = [];
  const slow = defineHandler({
    ...{ name: 'points', on: 'company.created', timeoutMs: 2 ** 30 },
    handle: () => new Promise((resolve) => gates.push(() => resolve(undefined))),
  });
  visit = await visitConsole({ definitions: [slow] });
  const { receive, clock, store } = visit.setup;
  const before = (await visit.open('/')).html;
  expect(before).not.toContain('places');
  for (let id = 1; id <= 4; id++) await receive(webhook('company.created', { id }));
  await untilPasses(() => expect(gates).toHaveLength(4));
  await receive(webhook('company.created', { id: 5 }));
  clock.advance(120_000);
  const alone = textOf((await visit.open('/')).html);
  expect(alone).toContain('company:5 waits for points.');
  expect(alone, 'nobody else waits').not.toContain('places');
  await receive(webhook('charge.created', { id: 9 }));
  clock.advance(120_000);
  expect(await store.deliveries({ status: 'pending' }, { order: 'oldest', limit: 9 })).toHaveLength(2);

  const { html } = await visit.open('/');
  expect(textOf(html)).toMatch(
    /2 things need you .* points takes 4 of the 4 places .* 1 handler waits for a place/u,
  );
  expect(html).toContain('>Pause…</a>');
  for (const open of gates) open();
});

it('the overview does not call a retry stuck that waits for the rate of its handler', async () => {
  const erp = defineHandler({
    name: 'erp',
    on: 'company.created',
    rate: { limit: 1, per: 'hour' },
    retry: { attempts: 50, baseMs: 1, maxMs: 1 },
    handle() {
      throw new Error('status 500');
    },
  });
  visit = await visitConsole({ definitions: [erp] });
  const { store, clock, receive } = visit.setup;
  await receive(webhook('company.created', { id: 5 }));
  await untilPasses(async () => {
    clock.advance(10);
    const [delivery] = await store.deliveries({}, { order: 'oldest', limit: 1 });
    expect(delivery).toMatchObject({ status: 'pending', attempts: 1, rateUntil: expect.any(Number) });
  });
  clock.advance(360_000);

  const { html } = await visit.open('/');
  expect(textOf(html)).not.toContain('company:5 waits for erp');
});

it('the overview names a subject that keeps failing, also behind a pause, and not those that only wait for the pause', async () => {
  const mail = defineHandler({
    name: 'mail',
    on: 'company.created',
    retry: { attempts: 50, baseMs: 1, maxMs: 1 },
    handle({ data }, { attempt }) {
      if (data.id !== 7) return;
      if (attempt < 3) throw new Error('the server hangs');
      // Longer than the test lets pass: no attempt runs while the page is made.
      throw RetryLater(3_600_000, 'Error: the server hangs');
    },
  });
  visit = await visitConsole({ definitions: [mail] });
  const { store, clock, receive } = visit.setup;
  await receive(webhook('company.created', { id: 7 }));
  await untilPasses(async () => {
    clock.advance(10);
    const [delivery] = await store.deliveries({}, { order: 'oldest', limit: 1 });
    expect(delivery?.attempts).toBeGreaterThanOrEqual(3);
  });
  await visit.send(
    '/handlers/pause',
    { handler: 'mail', reason: 'the mail server moves' },
    { from: '/handlers' },
  );
  await receive(webhook('company.created', { id: 8 }));
  clock.advance(120_000);

  const { html } = await visit.open('/');
  expect(textOf(html)).toMatch(
    /company:7 waits for mail\. Error: the server hangs Failed \d+ times, last 2 min\. ago\. It is tried again once the handler is resumed\./u,
  );
  expect(html).toContain('href="/subjects/company%3A7"');
  expect(textOf(html)).not.toContain('company:8');
  expect(textOf(html)).toContain('mail is paused');
});

it('the subjects of a machine have their states, in an order that is named', async () => {
  visit = await visitConsole();
  await visit.setup.receive(webhook('charge.updated', { id: 7, status: 'overdue' }));
  await visit.setup.settle();
  const text = textOf((await visit.open('/machines/charge-status')).html);
  expect(text).toContain('In the order in which the subjects were first seen.');
  expect(text).toMatch(/charge:7 overdue default/u);
  expect(text).toContain('An anomaly is an impossible move');
  const subject = await visit.open('/subjects/charge:7');
  const [, event = '', anomaly = ''] =
    /<a class="bad" href="\/machines\/charge-status\/charge%3A7"[^>]*>1 anomaly<\/a>: <a href="(\/events\/[^"]+)">([^<]+)</u.exec(
      subject.html,
    ) ?? [];
  expect(anomaly).toContain('overdue is not expected of');
  expect(textOf((await visit.open(event)).html)).toContain('Anomalies overdue is not expected of');
});

it('a defined kind without a version is not said to be ordered by a field, whatever its family', async () => {
  const definition = defineKind('company.archived', {
    schema: z.object({ id: z.int(), updated_at: z.string() }),
    subject: { family: 'company', id: ({ id }) => id },
  });
  visit = await visitConsole({
    contract: extendContract({ kinds: [{ definition, file: 'kinds.ts' }], sources: [] }),
  });
  const text = textOf((await visit.open('/contract/company.archived')).html);
  expect(text).toContain('No field orders its events: arrival does');
  expect(textOf((await visit.open('/contract/company.updated')).html)).toContain(
    'Ordered by data.updated_at',
  );
});
