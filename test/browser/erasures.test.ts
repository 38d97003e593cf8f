/** Holds and erasures in a real browser, over the files of a real database: with and without JavaScript. */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fixture } from '../support/webhooks/fixtures.ts';
import { serve, type RunningPortaria } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';
import { needsChromium } from './chromium.ts';
import { type ViewOptions, launchChromium, overflowOf, violationsOf, visitPage } from './visit-pages.ts';

const CPF = '12345678909';

describe.skipIf(needsChromium())('holds and erasures', () => {
  let running: RunningPortaria;
  let browser: Browser;
  let database: string;

  beforeAll(async () => {
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser.close();
  });

  beforeEach(async () => {
    ({ database } = createWorkspace());
    running = await serve({ PORTARIA_DATABASE: database, PORTARIA_OPS_PORT: '0' });
    const { type, data } = fixture('traffic-violation.indication.created');
    for (const [id, taxId] of [CPF, '98765432100'].entries())
      await running.post({ type, data: { ...data, id: id + 1, tax_id: taxId, name: `Driver ${taxId}` } });
  });

  /** Opens pages with the given view, and fails on any message of the browser's console. */
  const visit = (options: ViewOptions, use: Parameters<typeof visitPage>[2]): Promise<void> =>
    visitPage(browser, { baseURL: new URL('/', running.operators).href, ...options }, use);

  async function planErasure(page: Page): Promise<void> {
    await page.goto('/privacy');
    await page.getByText('Find or erase a person').click();
    await page.getByLabel('The person, one identifier a line').fill('123.456.789-09');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('heading', { name: 'Erase a person: ' }).waitFor();
  }

  test.each([{ javaScriptEnabled: true }, { javaScriptEnabled: false }])(
    'a person is erased from every file, with a receipt to download: %j',
    async (options) => {
      await visit(options, async (page) => {
        await planErasure(page);
        // The port may contain any digits.
        const { pathname, search, hash } = new URL(page.url());
        expect(pathname + search + hash).not.toContain('123');
        expect(await page.content()).not.toContain(CPF);
        await page.getByLabel('Type the same identifiers again').fill(CPF);
        await page.getByLabel('Reason').fill('request 2026-17');
        await page.getByRole('button', { name: 'Erase the person' }).click();
        await page.waitForURL('**/privacy/erasures/x1');
        await page.getByText('finished', { exact: true }).waitFor();
        await page.getByText('0 occurrences of the person').waitFor();
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('link', { name: 'Download it as JSON' }).click(),
        ]);
        const receipt = JSON.parse(readFileSync(await download.path(), 'utf8')) as Record<string, unknown>;
        expect(receipt).toMatchObject({ erasure: 'x1', hits: 0, erased_rows: { event: 1 } });
        expect((receipt['files'] as readonly { readonly bytes: number }[])[0]?.bytes).toBeGreaterThan(0);
      });
      const bytes = readFileSync(database, 'latin1');
      expect(bytes).not.toContain(CPF);
      expect(bytes).toContain('98765432100');
    },
  );

  test('a subject is held with a reason, and released with one', async () => {
    await visit({}, async (page) => {
      await page.goto('/privacy');
      await page.getByText('Hold a subject', { exact: true }).click();
      await page.getByLabel('Subject').fill('user:77');
      await page.getByLabel('Reason').fill('case 12');
      await page.getByRole('button', { name: 'Hold it' }).click();
      const row = page.getByRole('row', { name: 'user:77' });
      await row.locator('summary').click();
      await row.getByLabel('Reason').fill('case closed');
      await row.getByRole('button', { name: 'End the hold' }).click();
      await page.getByText('No subject is held.').waitFor();
    });
  });

  test.each([
    { width: 390, colorScheme: 'light' },
    { width: 1280, colorScheme: 'dark' },
  ] as const)('the plan and the erasure are readable and fit: %j', async ({ width, colorScheme }) => {
    await visit({ viewport: { width, height: 800 }, colorScheme }, async (page) => {
      await page.goto('/privacy');
      for (const form of await page.locator('details.act > summary').all()) await form.click();
      expect(await violationsOf(page)).toEqual([]);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      await planErasure(page);
      expect(await violationsOf(page)).toEqual([]);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      await page.getByLabel('Type the same identifiers again').fill(CPF);
      await page.getByLabel('Reason').fill('request 2026-17');
      await page.getByRole('button', { name: 'Erase the person' }).click();
      await page.waitForURL('**/privacy/erasures/x1');
      expect(await violationsOf(page)).toEqual([]);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    });
  });
});
