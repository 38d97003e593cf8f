/** The console in a real browser: every page on a desk and on a phone, keys, times and weight. What it does without scripts is in test/console. */
import BetterSqlite3 from 'better-sqlite3';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { fixture } from '../support/webhooks/fixtures.ts';
import { serve, type RunningPortaria } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';
import { needsChromium } from './chromium.ts';
import { type ViewOptions, overflowOf, useChromium, views, violationsOf, visitPage } from './visit-pages.ts';

describe.skipIf(needsChromium())('the console', () => {
  let running: RunningPortaria;
  let databasePath: string;

  useChromium();

  beforeAll(async () => {
    const { database, settings, writeHandler } = createWorkspace();
    databasePath = database;
    writeHandler(
      'ledger.mjs',
      `import { defineHandler } from 'portaria';
       export default defineHandler({ name: 'ledger', on: 'charge.*', retry: { attempts: 1 },
         handle({ data }) { if (data.status !== 'paid') throw new Error('422 not paid'); } });`,
    );
    running = await serve({ ...settings, PORTARIA_OPS_PORT: '0' });
    const { type, data } = fixture('charge.updated');
    for (const id of [1, 2]) await running.post({ type, data: { ...data, id, status: 'pending' } });
    await running.post({ type, data: { ...data, id: 1, status: 'paid' } });
    await running.post({ type, data: { id: 'one' } });
  });

  /** Opens pages with the given view, and fails on any message of the browser's console. */
  const visit = (options: ViewOptions, use: Parameters<typeof visitPage>[1]): Promise<void> =>
    visitPage({ baseURL: new URL('/', running.operators).href, ...options }, use, /status of 40[04]/u);

  const paths = [
    '/',
    '/events',
    '/live',
    '/events?where=data.status+%3D+pending&text=a',
    '/events?where=wrong',
    '/failures',
    '/quarantine',
    '/quarantine/q1',
    '/handlers',
    '/handlers/ledger',
    '/handlers/pauses/p1',
    '/jobs',
    '/audit',
    '/senders',
    '/system',
    '/privacy',
    '/machines',
    '/contract',
    '/contract/charge.updated',
    '/plan?action=retry',
    '/subjects/charge:2',
  ];
  test.each(views)('every page is accessible and as wide as the screen: $name', async (view) => {
    await visit({ locale: 'en-US' }, pauseForTest);
    await visit(view, async (page) => {
      await page.goto('/events');
      const event = (await page.locator('main tbody a').first().getAttribute('href')) ?? '';
      const parts = [`${event}/curl`, `${event}/payload?at=%2Fcompany`];
      for (const path of [...paths, event, ...parts, '/subjects/charge:1', '/events/none']) {
        await page.goto(path);
        // The tables of charts, and forms.
        for (const summary of await page.locator('main summary:visible').all()) await summary.click();
        expect(await violationsOf(page), path).toEqual([]);
        expect(await overflowOf(page), path).toBeLessThanOrEqual(0);
      }
    });
  });

  /** Pauses the handler, and records what charts show, as a process that ran for a while has. */
  async function pauseForTest(page: Page): Promise<void> {
    const database = new BetterSqlite3(databasePath);
    const at = Math.floor(Date.now() / 300_000) * 300_000;
    for (const spansAgo of [1, 20, 40, 41, 200]) {
      const begin = at - spansAgo * 300_000;
      database.prepare('insert or replace into activity values (?, 12, 4, 90000)').run(begin);
      database
        .prepare(
          "insert or replace into handler_activity values (?, 'ledger', 9, 3, 1, 0, 60000, '[[20,12]]')",
        )
        .run(begin);
    }
    database
      .prepare("insert or replace into looks values ('default', 'charge', ?, 0, 12345, '{\"behind\":130}')")
      .run(at);
    database
      .prepare(
        "insert or replace into look_differences values ('default', 'charge', ?, 'behind', ?, ?, 'q1')",
      )
      .run('1', '["company.external_uid","amount","status","due_date"]', at);
    database.close();
    await page.goto('/handlers');
    if (await page.locator('#pauses + table').isVisible()) return;
    await page.locator('main tbody a').first().click();
    await page.getByText('Pause…').click();
    await page.getByLabel('Reason').first().fill('the ledger moves');
    await page.getByRole('button', { name: 'Pause', exact: true }).first().click();
    await page.getByRole('link', { name: 'Resume…' }).waitFor();
  }

  test('a phone has each event in three lines, a handler too, and the counts of the menu', async () => {
    await visit({ viewport: { width: 390, height: 844 } }, async (page) => {
      for (const path of ['/events', '/live']) {
        await page.goto(path);
        await page.locator('main tbody tr').first().waitFor();
        const cut =
          "[...document.querySelectorAll('main td')].filter((td) => td.querySelector('time') && td.scrollWidth > td.clientWidth).length";
        expect(await page.evaluate(cut), 'times that are cut').toBe(0);
        for (const row of await page.locator('main tbody tr').all()) {
          expect((await row.boundingBox())?.height).toBeLessThanOrEqual(90);
          await row.locator('td:nth-child(5) .state').click({ trial: true });
        }
        const cutStates = `(() => {
          const [row] = document.querySelectorAll('main tbody tr');
          row.cells[3].firstChild.innerHTML += ' <span class="state off">valor novo</span>';
          row.cells[4].querySelector('.state').textContent = '1 de 3 aguardando';
          return [...row.cells].slice(3).filter(({ firstChild: cell }) => cell.scrollWidth > cell.clientWidth).length;
        })()`;
        expect(await page.evaluate(cutStates), 'long states that are cut').toBe(0);
      }
      await page.goto('/handlers');
      expect((await page.locator('main tr[id]').first().boundingBox())?.height).toBeLessThanOrEqual(90);
      await page.goto('/quarantine');
      expect((await page.locator('tr#q1').boundingBox())?.height).toBeLessThanOrEqual(64);
      await page.goto('/');
      await page.locator('#nav .bad').click({ trial: true });
      expect((await page.locator('main').boundingBox())?.y).toBeLessThan(100);
    });
  });

  test('the menu of a phone opens to every page, without JavaScript too, and fits the screen', async () => {
    for (const javaScriptEnabled of [true, false])
      await visit({ javaScriptEnabled, viewport: { width: 390, height: 844 } }, async (page) => {
        await page.goto('/');
        const menu = page.locator('#nav summary');
        const system = page.locator('#nav a[href="/system"]');
        expect(await system.isVisible()).toBe(false);
        await menu.click();
        for (const target of [menu, ...(await page.locator('#nav a').all())])
          expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(24);
        if (javaScriptEnabled) expect(await violationsOf(page)).toEqual([]);
        expect(await overflowOf(page)).toBeLessThanOrEqual(0);
        await system.click();
        await page.waitForURL('**/system');
        expect(await system.isVisible()).toBe(false);
      });
  });

  test('the first Tab is the link that skips the menu, with JavaScript and without, also on a phone', async () => {
    for (const javaScriptEnabled of [true, false])
      for (const width of [1280, 390])
        await visit({ javaScriptEnabled, viewport: { width, height: 844 } }, async (page) => {
          await page.goto('/system');
          await page.keyboard.press('Tab');
          expect(await page.locator('.skip:focus').count()).toBe(1);
        });
  });

  test('j moves through what needs an operator, too, and outlines all of it and its action', async () => {
    await visit({}, async (page) => {
      await page.goto('/');
      await page.keyboard.press('j');
      for (const ring of ['.problems > li:has(:focus)', '.problems a:focus']) {
        const outline = `getComputedStyle(document.querySelector('${ring}')).outlineStyle`;
        expect(await page.evaluate(outline), ring).toBe('solid');
      }
      expect(await page.locator('#nav a[href="/machines"]').count(), 'without a machine').toBe(0);
    });
  });

  test('chips filter, without JavaScript too; Escape closes one', async () => {
    for (const javaScriptEnabled of [true, false])
      await visit({ javaScriptEnabled }, async (page) => {
        await page.goto('/events');
        await page.locator('.chip summary', { hasText: 'Outcome' }).click();
        await page.locator('[name=status]').selectOption('failed');
        await page.getByRole('button', { name: 'Filter' }).click();
        await page.waitForURL('**/events?*status=dead*');
        await page.locator('.chip summary', { hasText: 'Kind' }).click();
        await page.getByLabel('Kind', { exact: true }).fill('charge.*');
        await page.getByRole('button', { name: 'Filter' }).click();
        await page.waitForURL('**/events?kind=charge.*&*status=dead*');
        await page.getByRole('link', { name: 'Remove the filter Outcome' }).click();
        await page.waitForURL((url) => url.searchParams.get('status') === null);
        expect(await page.locator('.chip code').textContent()).toBe('charge.*');
        if (!javaScriptEnabled) return;
        await page.locator('.chip summary', { hasText: 'More' }).click();
        await page.keyboard.press('Escape');
        expect(await page.locator('.chip > [open]').count()).toBe(0);
      });
  });

  test('keys alone lead to an event: / searches, j moves, Enter opens', async () => {
    await visit({}, async (page) => {
      await page.goto('/');
      await page.keyboard.press('/');
      await page.keyboard.type('kind:charge.*');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/events?kind=charge.*');
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/events/*-2');
    });
  });

  test('times are those of the browser, and the language is chosen', async () => {
    await visit({ timezoneId: 'America/Sao_Paulo', locale: 'en-US' }, async (page) => {
      await page.goto('/events');
      const time = page.locator('main time').first();
      const iso = (await time.getAttribute('datetime')) ?? '';
      const local = new Intl.DateTimeFormat('en', {
        dateStyle: 'medium',
        timeStyle: 'medium',
        timeZone: 'America/Sao_Paulo',
      }).format(new Date(iso));
      expect(await time.textContent()).toBe(local);
      await page.getByRole('button', { name: 'Português' }).click();
      await page.getByRole('heading', { name: 'Eventos' }).waitFor();
    });
  });

  test('a first page weighs at most 60 kB', async () => {
    await visit({}, async (page) => {
      const sizes: Promise<number>[] = [];
      page.on('requestfinished', (request) => {
        sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
      });
      await page.goto('/events', { waitUntil: 'networkidle' });
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      expect(bytes).toBeGreaterThan(5_000);
      expect(bytes).toBeLessThan(60_000);
    });
  });
});
