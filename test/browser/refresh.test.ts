/** Pages that refresh themselves: what changed is shown, and what a visitor does is left alone. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fixture } from '../support/webhooks/fixtures.ts';
import { serve, type RunningPortaria } from '../support/running-portaria.ts';
import { eventually } from '../support/eventually.ts';
import { createWorkspace } from '../support/workspace.ts';
import { needsChromium } from './chromium.ts';
import { collectMessages, newContext, useChromium } from './visit-pages.ts';

describe.skipIf(needsChromium())('a page that refreshes itself', () => {
  let running: RunningPortaria;
  let context: BrowserContext;
  let settings: Readonly<Record<string, string>>;
  let messages: string[];

  useChromium();

  beforeEach(async () => {
    const workspace = createWorkspace();
    workspace.writeHandler(
      'ledger.mjs',
      `import { defineHandler } from 'portaria';
       export default defineHandler({ name: 'ledger', on: 'charge.*', retry: { attempts: 1 },
         handle() { throw new Error('422 not paid'); } });`,
    );
    settings = workspace.settings;
    running = await serve(settings);
    messages = [];
    context = await newContext({ baseURL: running.operators });
  });
  afterEach(async () => {
    await context.close();
    expect(messages).toEqual([]);
  });

  async function listed(what: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const response = await fetch(new URL(`api/${what}`, running.operators));
    return ((await response.json()) as { data: Record<string, unknown>[] }).data;
  }

  /** Posts charges that fail, and waits until they are dead. */
  async function fail(from: number, to: number): Promise<void> {
    const { type, data } = fixture('charge.updated');
    for (let id = from; id <= to; id += 1)
      await running.post({ type, data: { ...data, id, status: 'pending' } });
    await eventually('all are dead', async () => {
      return (await listed('deliveries?status=dead')).length === to;
    });
  }

  /** Opens a page whose time the test controls. */
  async function open(path: string): Promise<Page> {
    const page = await context.newPage();
    collectMessages(page, messages);
    await page.clock.install();
    await page.goto(path);
    await page.evaluate('globalThis.loadedOnce = true');
    return page;
  }

  const seconds = (page: Page, count: number) => page.clock.runFor(count * 1_000);

  test('shows what changed, also in the navigation, without a load', async () => {
    await fail(1, 1);
    const page = await open('/');
    await page.getByText('1 delivery to ledger failed.').waitFor();
    await fail(2, 3);
    await seconds(page, 11);
    await page.getByText('3 deliveries to ledger failed.').waitFor();
    expect(await page.locator('#nav a[data-key="f"] span').textContent()).toBe('3');
    expect(await page.evaluate('loadedOnce')).toBe(true);
  });

  test('keeps the menu of a phone open', async () => {
    await fail(1, 1);
    const page = await open('/');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator('#nav summary').click();
    await fail(2, 3);
    await seconds(page, 11);
    await page.getByText('3 deliveries to ledger failed.').waitFor();
    await page.locator('#nav a[href="/system"]').click({ trial: true });
  });

  test('keeps the focus on its row while rows come before it', async () => {
    await fail(1, 3);
    const page = await open('/failures');
    const link = page.locator('#d1 a').first();
    await link.focus();
    await fail(4, 5);
    await seconds(page, 11);
    await page.locator('#d5').waitFor();
    expect(await link.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    expect(await page.locator('main tbody tr[id]').count()).toBe(5);
  });

  test('leaves a form in use alone, and refreshes when it is not', async () => {
    await fail(1, 1);
    const [dead] = await listed('deliveries?status=dead');
    const page = await open(`/events/${String(dead?.['event_id'])}`);
    await page.getByRole('button', { name: 'Retry' }).hover();
    const body = JSON.stringify({ ids: [dead?.['id']] });
    const headers = { 'content-type': 'application/json' };
    await fetch(new URL('api/deliveries/retry', running.operators), { method: 'POST', headers, body });
    await eventually('it has failed again', async () => {
      const response = await fetch(new URL(`api/deliveries/${String(dead?.['id'])}`, running.operators));
      return ((await response.json()) as { history: unknown[] }).history.length === 2;
    });
    await seconds(page, 30);
    expect(await page.getByText('2 attempts').count()).toBe(0);
    await page.mouse.move(5, 400);
    await seconds(page, 2);
    await page.getByText('2 attempts').waitFor();
  });

  test('keeps what a visitor has opened, and what a visitor selects', async () => {
    const wide = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`field_${String(index)}`, index]),
    );
    await running.post({ type: 'fleet.counted', data: { id: 1, wide } });
    const page = await open('/events');
    await page.locator('main tbody a').first().click();
    await page.locator('main pre details summary').click();
    const refreshed = page.waitForResponse(
      (response) => response.request().headers()['hx-request'] === 'true',
    );
    await seconds(page, 12);
    await refreshed;
    await seconds(page, 1);
    expect(await page.locator('main pre details').getAttribute('open')).toBe('');
    let asked = 0;
    page.on('request', () => (asked += 1));
    await page.evaluate("getSelection().selectAllChildren(document.querySelector('h1'))");
    await seconds(page, 60);
    expect(asked).toBe(0);
  });

  test('asks for nothing while it is hidden, or shows personal data', async () => {
    await fail(1, 1);
    const page = await open('/');
    await page.evaluate(
      "Object.defineProperty(document, 'hidden', { configurable: true, get: () => true }); 0",
    );
    let asked = 0;
    page.on('request', () => (asked += 1));
    await seconds(page, 120);
    expect(asked).toBe(0);
    const unmasked = await open('/events?unmask=true');
    expect(await unmasked.locator('main[data-refresh]').count()).toBe(0);
    const [event] = await listed('events');
    const masked = await open(`/events/${String(event?.['id'])}`);
    expect(await masked.locator('main[data-refresh]').count()).toBe(1);
    await masked.goto(`/events/${String(event?.['id'])}?unmask=true`);
    expect(await masked.locator('main[data-refresh]').count()).toBe(0);
  });

  test('stays as it is while the server is away and says so, and goes on when it is back', async () => {
    await fail(1, 1);
    const page = await open('/');
    const ports = {
      PORTARIA_PORT: new URL(running.url).port,
      PORTARIA_OPS_PORT: new URL(running.operators).port,
    };
    running.kill('SIGTERM');
    await running.ended;
    const failed = page.waitForEvent('requestfailed');
    await seconds(page, 11);
    await failed;
    expect(await page.getByText('1 delivery to ledger failed.').isVisible()).toBe(true);
    const lost = page.getByText('Portaria does not answer');
    await lost.waitFor();
    // A proxy before it, or Portaria without its store, answers so.
    await page.route('**/*', (route) => route.fulfill({ status: 503, body: 'away' }));
    await page.evaluate("document.getElementById('lost').hidden = true; 0");
    await seconds(page, 11);
    await lost.waitFor();
    await page.unroute('**/*');
    running = await serve({ ...settings, ...ports });
    await fail(2, 2);
    await seconds(page, 11);
    await page.getByText('2 deliveries to ledger failed.').waitFor();
    expect(await lost.isHidden()).toBe(true);
    expect(messages.filter((text) => !/ERR_|Failed to fetch|503/u.test(text))).toEqual([]);
    messages = [];
  });
});
