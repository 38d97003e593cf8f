/** The live page in a real browser: rows as they come, a restart of the server, keys alone. */
import type { BrowserContext, Page, Request } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { expectBelow } from '../support/measured.ts';
import { fixture } from '../support/webhooks/fixtures.ts';
import { serve, type RunningPortaria } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';
import { needsChromium } from './chromium.ts';
import { collectMessages, newContext, useChromium, violationsOf, type ViewOptions } from './visit-pages.ts';

describe.skipIf(needsChromium())('the live page', () => {
  let running: RunningPortaria;
  let context: BrowserContext;
  let settings: Readonly<Record<string, string>>;
  /** What pages wrote to the browser's console: each line is a failure. */
  let messages: string[];

  useChromium();

  beforeEach(async () => {
    const workspace = createWorkspace();
    workspace.writeHandler(
      'ledger.mjs',
      `import { defineHandler } from 'portaria';
       export default defineHandler({ name: 'ledger', on: 'charge.*', retry: { attempts: 1 },
         handle({ data }) { if (data.status !== 'paid') throw new Error('422 not paid'); } });`,
    );
    settings = workspace.settings;
    running = await serve(settings);
    messages = [];
    context = await visitor();
  });
  afterEach(async () => {
    await context.close();
    expect(messages).toEqual([]);
  });

  const visitor = (options: ViewOptions = {}): Promise<BrowserContext> =>
    newContext({ baseURL: running.operators, ...options });

  /** Ids of charges, each of its own. */
  let last = 0;
  async function post(count: number, status = 'paid'): Promise<string[]> {
    const { type, data } = fixture('charge.updated');
    const subjects: string[] = [];
    for (let each = 0; each < count; each += 1) {
      last += 1;
      await running.post({ type, data: { ...data, id: last, status } });
      subjects.push(`charge:${String(last)}`);
    }
    return subjects;
  }

  async function open(path: string, state: string | null = 'live'): Promise<Page> {
    const page = await context.newPage();
    collectMessages(page, messages);
    await page.goto(path);
    if (state !== null) await says(page, state);
    return page;
  }

  const says = (page: Page, state: string) =>
    page.locator('#live-state', { hasText: new RegExp(`^${state}`, 'u') }).waitFor();

  /** The subjects of the rows, as they stand. */
  const shown = (page: Page) => page.locator('#rows tbody tr td:nth-child(3)').allTextContents();

  const shows = (page: Page, subjects: readonly string[]) =>
    eventually('the rows are there, in order and once', async () => {
      const rows = await shown(page);
      return JSON.stringify(rows) === JSON.stringify(subjects.toReversed());
    });

  test('shows an event as it arrives, and then its outcome in the same place', async () => {
    const page = await open('/live');
    await page.evaluate(`
      globalThis.took = [];
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes)
          for (const row of addedNodes) took.push(Date.now() - Date.parse(row.querySelector('time').dateTime));
      }).observe(document.querySelector('#rows tbody'), { childList: true });
      0;`);
    const subjects: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      subjects.push(...(await post(1, round % 2 === 0 ? 'paid' : 'pending')));
      await shows(page, subjects);
    }
    const took = (await page.evaluate('took')) as number[];
    const sorted = took.toSorted((one, other) => one - other);
    const [median = 0, longest = 0] = [sorted[2], sorted.at(-1)];
    process.stdout.write(
      `from event received to row in the browser: median ${String(median)} ms, longest ${String(longest)} ms\n`,
    );
    expect(sorted).toHaveLength(5);
    expectBelow(300, median, 'milliseconds until a row is there');
    await eventually('the outcomes are there', async () => {
      const outcomes = await page.locator('#rows tbody tr td:nth-child(5)').allTextContents();
      return outcomes.filter((each) => each === 'succeeded').length === 3 && outcomes.includes('failed');
    });
  });

  test('moves no row while someone reads, announces new ones, and shows them on request', async () => {
    const first = await post(2);
    const page = await open('/live');
    await page.locator('#rows tbody tr').first().hover();
    const before = await page.locator('#rows tbody tr').first().boundingBox();
    const more = await post(12);
    await page.getByRole('button', { name: '12 new' }).waitFor();
    expect(await page.locator('#rows tbody tr').first().boundingBox()).toEqual(before);
    expect(await shown(page)).toEqual(first.toReversed());
    await page.getByRole('button', { name: '12 new' }).click();
    await shows(page, [...first, ...more]);
    expect(await page.locator('#live-new').isHidden()).toBe(true);
  });

  test('lets rows in again when the reader leaves the table or scrolls up', async () => {
    const first = await post(30);
    const page = await open('/live');
    await page.mouse.move(5, 5);
    await page.evaluate('scrollTo(0, 900)');
    const more = await post(2);
    await page.locator('#live-new', { hasText: '2 new' }).waitFor({ state: 'attached' });
    expect(await page.evaluate('scrollY')).toBeGreaterThan(500);
    await page.evaluate('scrollTo(0, 0)');
    await shows(page, [...first, ...more]);
    await page.locator('#rows tbody tr').first().hover();
    const last = await post(1);
    await page.getByRole('button', { name: '1 new' }).waitFor();
    await page.mouse.move(5, 5);
    await shows(page, [...first, ...more, ...last]);
  });

  test('pauses and resumes by keys alone: what came meanwhile is there, once', async () => {
    const first = await post(1);
    const page = await open('/live?kind=charge.*');
    await page.keyboard.press('p');
    await says(page, 'frozen');
    expect(await page.title()).toBe('frozen · Live · Portaria');
    const meanwhile = await post(3);
    await page.keyboard.press('p');
    await says(page, 'live');
    await shows(page, [...first, ...meanwhile]);
    // The focus on a row is reading; n shows what waits.
    await page.keyboard.press('j');
    const more = await post(2);
    await page.locator('#live-new', { hasText: '2 new' }).waitFor();
    await page.keyboard.press('n');
    await shows(page, [...first, ...meanwhile, ...more]);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/events/*-*');
  });

  test('closes its stream while the tab is hidden, says so, and catches up', async () => {
    const page = await open('/live');
    const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/live/stream'));
    const turn = (hidden: boolean) =>
      page.evaluate(`
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${String(hidden)} });
        document.dispatchEvent(new Event('visibilitychange'));`);
    await turn(true);
    await ended;
    await says(page, 'frozen while this tab was hidden');
    expect(await page.title()).toBe('frozen · Live · Portaria');
    const meanwhile = await post(3);
    await turn(false);
    await says(page, 'live');
    await shows(page, meanwhile);
    expect(await page.title()).toBe('Live · Portaria');
  });

  test('goes on after the server was killed and started again: no row is missing or twice', async () => {
    const page = await open('/live');
    const subjects = await post(3);
    await shows(page, subjects);
    const ports = {
      PORTARIA_PORT: new URL(running.url).port,
      PORTARIA_OPS_PORT: new URL(running.operators).port,
    };
    running.kill('SIGKILL');
    await running.ended;
    await says(page, 'not connected');
    running = await serve({ ...settings, ...ports });
    subjects.push(...(await post(3)));
    await says(page, 'live');
    subjects.push(...(await post(3)));
    await shows(page, subjects);
    // The browser reports what it could not reach.
    expect(messages.filter((text) => !/ERR_|status of 503/u.test(text))).toEqual([]);
    messages = [];
  });

  test('says that all 50 places are taken, and is live when there is one', async () => {
    const ends = new AbortController();
    const address = new URL('/live/stream', running.operators);
    const streams = await Promise.all(
      Array.from({ length: 50 }, () => fetch(address, { signal: ends.signal })),
    );
    const page = await open('/live', 'not live: too many live pages are open');
    messages = messages.filter((text) => !text.includes('503'));
    // A response that nothing refers to is collected, and ends its stream.
    expect(streams.every(({ status }) => status === 200)).toBe(true);
    // The places are free as soon as their clients have gone.
    ends.abort();
    await eventually(
      'a place is free',
      async () => {
        const other = new AbortController();
        const { status } = await fetch(address, { signal: other.signal });
        other.abort();
        return status === 200;
      },
      5_000,
    );
    for (const name of ['Freeze list', 'Continue']) await page.getByRole('button', { name }).click();
    await says(page, 'live');
    expect(messages.every((text) => text.includes('503'))).toBe(true);
    messages = [];
  });

  test('is accessible while rows come and with the keys shown', async () => {
    const page = await open('/live');
    await post(2, 'pending');
    await page.locator('#rows tbody tr').nth(1).waitFor();
    await page.locator('#rows tbody tr').first().hover();
    await post(1);
    await page.getByRole('button', { name: '1 new' }).waitFor();
    const check = () => violationsOf(page);
    expect(await check()).toEqual([]);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    expect(await check()).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await page.waitForURL('**/handlers');
  });

  test('weighs at most 60 kB at its first load', async () => {
    const page = await context.newPage();
    // Sizes are asked of a page that is open: a request can still finish when it closes.
    const finished: Request[] = [];
    page.on('requestfinished', (request) => void finished.push(request));
    await page.goto('/live');
    await says(page, 'live');
    const sizes = await Promise.all(finished.map((request) => request.sizes()));
    const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
    expect(bytes).toBeGreaterThan(15_000);
    expect(bytes).toBeLessThan(60_000);
  });
});
