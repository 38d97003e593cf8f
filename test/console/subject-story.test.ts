import { afterEach, describe, expect, it } from 'vitest';
import { paymentSlip } from '../../handlers/payment-slip.ts';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { visitConsole, webhook, type Visit } from './kit/console-browser.ts';
import { textOf } from '../support/page-text.ts';

let visit: Visit;

afterEach(() => visit.close());

const PATH = '/subjects/charge-payment-slip%3A7';
const slip = (hour: number, status: string, id = 7) =>
  webhook('charge.payment-slip.updated', {
    id,
    status,
    updated_at: `2026-11-20T${String(hour).padStart(2, '0')}:00:00Z`,
  });

/** A handler of slips that fails, or does not end. */
function ledger(
  handle: () => unknown,
  more: { readonly breaker?: { readonly failures: number; readonly subjects: number } } = {},
) {
  return defineHandler({
    name: 'ledger',
    on: 'charge.payment-slip.*',
    retry: { baseMs: 60_000 },
    handle,
    ...more,
  });
}

/** Whether the handler was called as often as that. */
async function ran(times: () => number, wanted: number): Promise<void> {
  while (times() < wanted) await new Promise((resolve) => setImmediate(resolve));
  // The outcome is recorded after the call.
  await visit.setup.store.totals();
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('the story of a subject', () => {
  it('begins and ends with what was seen first and last, and names the sources', async () => {
    visit = await visitConsole({ definitions: [paymentSlip()] });
    await visit.setup.receive(slip(10, 'pending'));
    visit.setup.clock.advance(3_600_000);
    await visit.setup.receive(slip(11, 'issued'), { source: 'other' });
    await visit.setup.settle();
    const { html } = await visit.open(PATH);
    expect(textOf(html)).toMatch(
      /First seen Nov 20, 2026, 12:00:00 PM Last seen Nov 20, 2026, 1:00:00 PM Sources default, other/u,
    );
    expect(textOf(html)).toContain('Nothing waits');
  });

  it('lists a released event where it arrived, and says last when the last one arrived', async () => {
    visit = await visitConsole({ definitions: [paymentSlip()] });
    const { receive, clock, settle } = visit.setup;
    const charge = (status: string) => webhook('charge.updated', { id: 7, status });
    await receive(charge('pending'), { messageId: 'msg_1' });
    await receive(charge('paid'), { messageId: 'msg_1' });
    clock.advance(3_600_000);
    await receive(charge('overdue'));
    await visit.send('/quarantine/release', { entry: 'q1' });
    await settle();

    const { html } = await visit.open('/subjects/charge%3A7');
    expect(textOf(html)).toMatch(
      /Last seen \w+ \d+, \d+, 1:00:00 PM .* 1:00:00.* PM charge\.updated .* 12:00:00/u,
    );
    const listed = /<table.*<\/table>/su.exec(html)?.[0] ?? '';
    const ids = [...listed.matchAll(/href="\/events\/(\w+-\d+)"/gu)].map(([, id = '']) => id.split('-')[1]);
    expect(ids).toEqual(['2', '3', '1']);
    const [released = ''] = /\/events\/\w+-3/u.exec(listed) ?? [];
    expect(textOf((await visit.open(released)).html)).toContain('It was quarantined, and released later.');
  });

  it('has the states of machines along the order of versions, and where each stands', async () => {
    visit = await visitConsole({ definitions: [paymentSlip()] });
    for (const [hour, status] of [
      [10, 'pending'],
      [13, 'issued'],
      [11, 'requested'],
      [12, 'requested'],
    ] as const)
      await visit.setup.receive(slip(hour, status));
    await visit.setup.settle();
    const { html } = await visit.open(PATH);
    const states = [...html.matchAll(/<g><title>([^<]*)<\/title><path d="M-154 (\d+)V(\d+)"/gu)].map(
      (match) => match.slice(1),
    );
    expect(states).toEqual([
      ['pending', '30', '48'],
      ['requested', '56', '100'],
      ['issued', '108', '126'],
    ]);
    expect(html).toContain('href="/machines/payment-slip/charge-payment-slip%3A7"');
    expect(textOf(html)).toContain('payment-slip issued');
  });

  it('says in a sentence that the events arrived in order, and draws both orders only where one crosses', async () => {
    visit = await visitConsole({ definitions: [] });
    for (const hour of [10, 11]) await visit.setup.receive(slip(hour, 'pending'));
    const inOrder = await visit.open(PATH);
    expect(textOf(inOrder.html)).toContain('They arrived in the order in which they changed.');
    expect(inOrder.html).not.toContain('class="orders"');

    await visit.setup.receive(slip(9, 'pending'));
    const late = await visit.open(PATH);
    expect(textOf(late.html)).not.toContain('They arrived in the order');
    expect(late.html).toContain('class="orders"');
  });

  it('says of a failing lane how often it failed, when it is tried again, and what is behind', async () => {
    let calls = 0;
    const failing = ledger(() => {
      calls += 1;
      throw new Error('503 closed for 529.982.247-25');
    });
    visit = await visitConsole({ definitions: [failing] });
    for (const hour of [10, 11, 12]) await visit.setup.receive(slip(hour, 'pending'));
    await ran(() => calls, 1);
    const { html } = await visit.open(PATH);
    const text = textOf(html);
    expect(html).toMatch(/href="\/plan\?action=discard&amp;ids=d\d+&amp;status=pending">Discard this one…/u);
    expect(text).toMatch(/ledger retrying charge\.payment-slip\.updated failed once, next attempt/u);
    expect(text).toContain('503 closed for <cpf>');
    expect(text).toContain('2 more');
  });

  it('says that the breaker is open', async () => {
    let calls = 0;
    const failing = ledger(
      () => {
        calls += 1;
        throw new Error('503 closed');
      },
      { breaker: { failures: 2, subjects: 2 } },
    );
    visit = await visitConsole({ definitions: [failing] });
    await visit.setup.receive(slip(10, 'pending'));
    await visit.setup.receive(slip(10, 'pending', 8));
    await ran(() => calls, 2);
    expect(textOf((await visit.open(PATH)).html)).toContain('ledger breaker open');
  });

  it('says who paused a lane, why, and until when', async () => {
    visit = await visitConsole({ definitions: [ledger(() => undefined)] });
    const { store, clock } = visit.setup;
    const scope = { handler: 'ledger', source: null, subject: { family: 'charge-payment-slip', id: '7' } };
    const now = clock.now();
    await store.pause(scope, {
      ...{ reason: 'the ledger moves <b>', pausedBy: 'ana', until: now + 3_600_000, now },
    });
    await visit.setup.receive(slip(10, 'pending'));
    await visit.setup.settle();
    const { html } = await visit.open(PATH);
    expect(textOf(html)).toMatch(
      /ledger paused charge\.payment-slip\.updated by ana, goes on in 1 hr the ledger moves <b> nothing/u,
    );
    expect(html).not.toContain('moves <b>');

    await visit.send('/language', { language: 'pt-BR' });
    expect(textOf((await visit.open(PATH)).html)).toContain('em pausa charge.payment-slip.updated por ana');
  });

  it('says behind which failed delivery a lane waits', async () => {
    const failing = defineHandler({
      ...{ name: 'ledger', on: 'charge.payment-slip.*', retry: { attempts: 1 } },
      ...{ afterDeadLetter: 'hold', handle: () => Promise.reject(new Error('closed')) },
    });
    visit = await visitConsole({ definitions: [failing] });
    for (const hour of [10, 11]) await visit.setup.receive(slip(hour, 'pending'));
    await visit.setup.settle();
    const [dead] = await visit.setup.store.deliveries({ status: 'dead' }, { order: 'oldest', limit: 1 });
    const { html } = await visit.open(PATH);
    expect(textOf(html)).toContain(`waits behind the failed delivery ${String(dead?.id)} nothing`);
    for (const action of ['retry', 'discard'])
      expect(html).toContain(`href="/plan?action=${action}&amp;ids=${String(dead?.id)}"`);

    // What was discarded is not told as handled.
    await visit.setup.store.discardDeliveries([String(dead?.id)], {
      reason: 'discarded by ana at 2026-11-22T13:00:00.000Z: x',
      now: visit.setup.clock.now(),
    });
    for (const path of [PATH, '/events'])
      expect(textOf((await visit.open(path)).html)).toMatch(/discarded(?! or)/u);
  });

  it('says that a delivery runs', async () => {
    let end: () => void = () => undefined;
    let calls = 0;
    const slow = ledger(() => {
      calls += 1;
      return new Promise<void>((resolve) => (end = resolve));
    });
    visit = await visitConsole({ definitions: [slow] });
    await visit.setup.receive(slip(10, 'pending'));
    await ran(() => calls, 1);
    const text = textOf((await visit.open(PATH)).html);
    end();
    await visit.setup.settle();
    expect(text).toContain('ledger running charge.payment-slip.updated attempt 1 nothing');
  });

  it('says that a subject is held, by whom and why', async () => {
    visit = await visitConsole();
    await visit.setup.receive(slip(10, 'pending'));
    await visit.setup.store.hold([{ family: 'charge-payment-slip', id: '7' }], {
      reason: 'a lawsuit <b>',
      placedBy: 'ana',
    });
    const { html } = await visit.open(PATH);
    expect(textOf(html)).toContain('Held not erased and not deleted by age, by ana: a lawsuit <b>');
    expect(html).not.toContain('<b>a lawsuit');
  });

  it('is bounded: a page of a long story has 50 events, and the states that belong to them', async () => {
    visit = await visitConsole({ definitions: [paymentSlip()] });
    const statuses = ['pending', 'requested', 'issued'];
    for (let at = 0; at < 130; at += 1)
      await visit.setup.receive(
        webhook('charge.payment-slip.updated', {
          id: 7,
          status: statuses[Math.min(Math.floor(at / 50), 2)],
          status_reason: String(at),
          updated_at: new Date(Date.UTC(2026, 10, 20, 10, at)).toISOString(),
        }),
      );
    await visit.setup.settle();
    const first = await visit.open(PATH);
    expect(first.html.match(/class="line"/gu)).toHaveLength(50);
    const next = /href="([^"]+)" rel="next"/u.exec(first.html)?.[1] ?? '';
    const older = await visit.open(next);
    expect([...older.html.matchAll(/<g><title>([^<]*)<\/title><path/gu)].map(([, text]) => text)).toEqual([
      'pending',
      'requested',
    ]);
  });

  it('of large events ends a page after a few megabytes, and lists three changes of each', async () => {
    visit = await visitConsole();
    const items = (at: number) =>
      Array.from({ length: 60_000 }, (_, index) => `{"a":${String(index + at)}}`).join(',');
    for (let at = 0; at < 12; at += 1)
      await visit.setup.receive(`{"type":"odd.kind","data":{"id":1,"x":[${items(at)}]}}`);
    const seen: string[] = [];
    let pages = 0;
    for (let path: string | undefined = '/subjects/odd%3A1'; path !== undefined; pages += 1) {
      const { html, status } = await visit.open(path);
      expect(status).toBe(200);
      expect(html.length).toBeLessThan(60_000);
      seen.push(...[...textOf(html).matchAll(/x\.0\.a .{0,60}? (\+[\d+]+)/gu)].map(([, more]) => more ?? ''));
      path = /href="([^"]+)" rel="next"/u.exec(html)?.[1]?.replaceAll('&amp;', '&');
    }
    expect(pages).toBe(2);
    expect(seen).toEqual(Array.from({ length: 11 }, () => '+10000+'));
  });
});
