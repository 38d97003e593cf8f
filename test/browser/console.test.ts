/** The console in a real browser: every page and action, on a desk and on a phone, with and without JavaScript. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fixture } from '../support/webhooks/fixtures.ts';
import { serve, type RunningPortaria } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';
import { needsChromium } from './chromium.ts';
import {
  type ViewOptions,
  launchChromium,
  overflowOf,
  views,
  violationsOf,
  visitPage,
} from './visit-pages.ts';

describe.skipIf(needsChromium())('the console', () => {
  let running: RunningPortaria;
  let browser: Browser;
  let databasePath: string;

  beforeAll(async () => {
    browser = await launchChromium();
  });

  beforeEach(async () => {
    const { database, folder } = createWorkspace();
    databasePath = database;
    const handlers = join(folder, 'ledger');
    mkdirSync(handlers);
    writeFileSync(
      join(handlers, 'ledger.mjs'),
      `import { defineHandler } from 'portaria';
       export default defineHandler({ name: 'ledger', on: 'charge.*', retry: { attempts: 1 },
         handle({ data }) { if (data.status !== 'paid') throw new Error('422 not paid'); } });`,
    );
    running = await serve({
      PORTARIA_DATABASE: database,
      PORTARIA_HANDLERS: handlers,
      PORTARIA_OPS_PORT: '0',
    });
    const { type, data } = fixture('charge.updated');
    for (const id of [1, 2]) await running.post({ type, data: { ...data, id, status: 'pending' } });
    await running.post({ type, data: { ...data, id: 1, status: 'paid' } });
    await running.post({ type, data: { id: 'one' } });
  });

  afterAll(async () => {
    await browser.close();
  });

  /** Opens pages with the given view, and fails on any message of the browser's console. */
  const visit = (options: ViewOptions, use: Parameters<typeof visitPage>[2]): Promise<void> =>
    visitPage(
      browser,
      { baseURL: new URL('/', running.operators).href, ...options },
      use,
      /status of 40[04]/u,
    );

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
    '/jobs',
    '/audit',
    '/system',
    '/privacy',
  ];
  test.each(views)('every page is accessible and as wide as the screen: $name', async (view) => {
    await visit(view, async (page) => {
      await page.goto('/events');
      const event = (await page.locator('main tbody a').first().getAttribute('href')) ?? '';
      const parts = [`${event}/curl`, `${event}/payload?at=%2Fcompany`];
      for (const path of [...paths, event, ...parts, '/subjects/charge:1', '/events/none']) {
        await page.goto(path);
        expect(await violationsOf(page), path).toEqual([]);
        expect(await overflowOf(page), path).toBeLessThanOrEqual(0);
      }
    });
  });

  test('a dead delivery is found from the overview and retried, without JavaScript', async () => {
    await visit({ javaScriptEnabled: false }, async (page) => {
      await page.goto('/');
      await page.getByText('failed for good').waitFor();
      await page.getByRole('link', { name: 'Look' }).first().click();
      await page.getByRole('link', { name: 'charge.updated' }).first().click();
      await page.getByRole('button', { name: 'Retry' }).click();
      await page.getByText('will run again').waitFor();
      expect(page.url()).toContain('retried=1');
    });
  });

  test('a handler and a lane are paused and resumed, without JavaScript', async () => {
    await visit({ javaScriptEnabled: false }, async (page) => {
      await page.goto('/handlers');
      await page.getByText('Pause…').first().click();
      await page.getByLabel('Why').first().fill('the ledger moves');
      await page.getByRole('button', { name: 'Pause', exact: true }).first().click();
      await page.getByRole('row', { name: /ledger the ledger moves/ }).waitFor();
      await page.goto('/');
      await page.getByText('Handler ledger is paused').waitFor();
      await page.getByRole('link', { name: 'Look' }).nth(1).click();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('Nothing is paused.').waitFor();

      await page.goto('/subjects/charge:2');
      await page.getByText('Pause this subject').click();
      await page.getByLabel('Why').fill('one company is merged');
      await page.getByLabel('Until').selectOption('4h');
      await page.getByRole('button', { name: 'Pause', exact: true }).click();
      await page.getByText('Handler ledger, subject charge:2 is paused').waitFor();
    });
  });

  test.each(views)('pauses, and charts with their tables, are accessible: $name', async (view) => {
    await visit(view, async (page) => {
      await pauseForTest(page);
      for (const path of ['/', '/handlers', '/subjects/charge:2']) {
        await page.goto(path);
        for (const summary of await page.locator('main summary').all()) await summary.click();
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
    database.close();
    await page.goto('/handlers');
    await page.getByText('Pause…').first().click();
    await page.getByLabel('Why').first().fill('the ledger moves');
    await page.getByRole('button', { name: 'Pause', exact: true }).first().click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
  }

  test('what operators did is found by who, what and about what, without JavaScript', async () => {
    await visit({ javaScriptEnabled: false }, async (page) => {
      await page.goto('/failures');
      await page.getByRole('button', { name: 'Retry these' }).click();
      await page.goto('/events');
      await page.locator('main tbody a').first().click();
      await page.getByRole('link', { name: 'Show personal data' }).click();
      await page.getByRole('link', { name: 'Audit' }).click();
      await page.getByText('personal data shown').waitFor();
      expect(await page.locator('main tbody tr').count()).toBe(2);
      await page.getByLabel('About').fill('d1');
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.waitForURL('**subject=d1*');
      expect(await page.locator('main tbody tr').count()).toBe(1);
      expect(await page.locator('main tbody tr').textContent()).toContain('retried deliveries');
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

  test('a payload as large as the port takes is a page that opens at once, and its parts follow', async () => {
    const rows = Array.from(
      { length: 12_000 },
      (_, at) => `{"at":${String(at)},"n":${String(at)}.10,"s":"<b>"}`,
    );
    const body = `{"type":"bulk.made","data":{"id":1,"rows":[${rows.join(',')}]}}`;
    const headers = { 'content-type': 'application/json' };
    await fetch(running.url, { method: 'POST', headers, body });
    await visit({}, async (page) => {
      await page.goto('/events?kind=bulk.made');
      await page.locator('main tbody a').first().click();
      await page.getByRole('link', { name: 'Show personal data' }).click();
      expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(6_000);
      await page.getByText('12,000 members').first().click();
      await page.getByRole('link', { name: '11,900 members' }).click();
      await page.getByText('100.10', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Next part' }).click();
      await page.getByText('200.10', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Back to the event' }).click();
      await page.waitForURL('**/events/*unmask=true');
    });
  });

  test('a search by content is written in the search field, and shared by its address', async () => {
    await visit({ javaScriptEnabled: false }, async (page) => {
      await page.goto('/');
      await page.getByRole('textbox', { name: 'Search' }).fill('data.status = pending and data.id > 1');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/events?where=*');
      expect(await page.locator('main tbody tr').count()).toBe(1);
      await page.getByText('Fields with personal data were not searched').waitFor();
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
