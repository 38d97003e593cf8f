/** An erasure in a real browser, over the files of a real database. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { fixture } from '../support/webhooks/fixtures.ts';
import { serve, type RunningPortaria } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';
import { needsChromium } from './chromium.ts';
import { type ViewOptions, overflowOf, useChromium, views, violationsOf, visitPage } from './visit-pages.ts';

const CPF = '12345678909';

describe.skipIf(needsChromium())('an erasure', () => {
  let running: RunningPortaria;
  let database: string;

  useChromium();

  beforeEach(async () => {
    ({ database } = createWorkspace());
    running = await serve({ PORTARIA_DATABASE: database, PORTARIA_OPS_PORT: '0' });
    const { type, data } = fixture('traffic-violation.indication.created');
    for (const [id, taxId] of [CPF, '98765432100'].entries())
      await running.post({ type, data: { ...data, id: id + 1, tax_id: taxId, name: `Driver ${taxId}` } });
  });

  /** Opens pages with the given view, and fails on any message of the browser's console. */
  const visit = (options: ViewOptions, use: Parameters<typeof visitPage>[1]): Promise<void> =>
    visitPage({ baseURL: new URL('/', running.operators).href, ...options }, use);

  async function planErasure(page: Page): Promise<void> {
    await page.goto('/privacy');
    await page.getByLabel('The person, one identifier a line').fill('123.456.789-09');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('heading', { name: 'Erase a person: ' }).waitFor();
  }

  test.each(views)(
    'a person is planned and erased on pages that are readable and fit: $name',
    async (view) => {
      const expectReadable = async (page: Page): Promise<void> => {
        expect(await violationsOf(page)).toEqual([]);
        expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      };
      await visit({ ...view, locale: 'en-US' }, async (page) => {
        await page.goto('/privacy');
        for (const form of await page.locator('details.act > summary').all()) await form.click();
        await expectReadable(page);
        await planErasure(page);
        // The port and the id of the plan may contain any three digits.
        expect(page.url()).not.toMatch(/12345678909|123\.456/u);
        expect(await page.content()).not.toContain(CPF);
        await page.locator('main summary').click();
        await expectReadable(page);
        await page.setViewportSize({ width: 940, height: 800 });
        expect(await overflowOf(page)).toBeLessThanOrEqual(0);
        await page.setViewportSize(view.viewport);
        await page.getByLabel('Type the same identifiers again').fill(CPF);
        await page.getByLabel('Reason').fill('request 2026-17');
        await page.getByRole('button', { name: 'Erase the person' }).click();
        await page.waitForURL('**/privacy/erasures/x1');
        await page.getByText('finished', { exact: true }).waitFor();
        await expectReadable(page);
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('link', { name: 'Download it as JSON' }).click(),
        ]);
        expect(JSON.parse(readFileSync(await download.path(), 'utf8'))).toMatchObject({
          erasure: 'x1',
          hits: 0,
        });
      });
      expect(readFileSync(database, 'latin1')).not.toContain(CPF);
    },
  );
});
