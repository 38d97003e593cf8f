/** Plans and jobs of the console in a real browser, on a desk and on a phone. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { fixture } from '../support/webhooks/fixtures.ts';
import { serve, type RunningPortaria } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';
import { needsChromium } from './chromium.ts';
import { type ViewOptions, overflowOf, useChromium, views, violationsOf, visitPage } from './visit-pages.ts';

/** Deliveries that fail until the handler is mended. */
const FAILING = 14;

describe.skipIf(needsChromium())('plans and jobs', () => {
  let running: RunningPortaria;
  let mend: () => void;

  useChromium();

  beforeEach(async () => {
    const { folder, open, settings, writeHandler } = createWorkspace();
    writeHandler(
      'ledger.mjs',
      `import { existsSync } from 'node:fs';
       import { defineHandler, RetryLater } from 'portaria';
       export default defineHandler({ name: 'ledger', on: 'charge.*', retry: { attempts: 1 },
         handle({ data }) {
           if (!existsSync(${JSON.stringify(join(folder, 'mended'))})) throw RetryLater(0, 'no account ' + data.id);
         } });`,
    );
    mend = () => {
      open('mended');
    };
    running = await serve({ ...settings, PORTARIA_OPS_PORT: '0' });
    const { type, data } = fixture('charge.updated');
    for (let id = 1; id <= FAILING; id++) await running.post({ type, data: { ...data, id } });
    for (const id of ['one', 'two']) await running.post({ type, data: { ...data, id } });
    await eventually('every delivery is dead', async () => {
      const response = await fetch(new URL('/api/failures', running.operators));
      const { data: groups } = (await response.json()) as { data: { dead: number }[] };
      return groups[0]?.dead === FAILING ? groups : undefined;
    });
  });

  /** Opens pages with the given view, and fails on any message of the browser's console. */
  const visit = (options: ViewOptions, use: Parameters<typeof visitPage>[1]): Promise<void> =>
    visitPage({ baseURL: new URL('/', running.operators).href, ...options }, use);

  /** Retries all as a plan from the page of failures, and returns on the page of its job. */
  async function retryAll(page: Page): Promise<void> {
    await page.goto('/failures');
    await page.getByRole('link', { name: 'Retry all…' }).click();
    await page.getByRole('heading', { name: `Retry ${String(FAILING)} deliveries?` }).waitFor();
    await page.getByRole('button', { name: /^Retry \d/u }).click();
    await page.waitForURL('**/jobs/j*');
  }

  test('a retry stops at its first stage, and goes on once the cause is mended', async () => {
    await visit({}, async (page) => {
      await retryAll(page);
      await page.getByText('stopped 1 of 1 failed').waitFor();
      await page.getByText('no account').first().waitFor();
      mend();
      await page.getByRole('button', { name: 'Resume' }).click();
      // The page reads its numbers again by itself.
      await page.locator('.state', { hasText: 'finished' }).waitFor();
      await page.getByText(`${String(FAILING)} of ${String(FAILING)}`).waitFor();
      await page.goto('/failures');
      await page.getByRole('heading', { name: '1 delivery failed' }).waitFor();
    });
  });

  test('a replay is composed, planned and watched with keys alone', async () => {
    mend();
    await visit({}, async (page) => {
      await page.goto('/jobs');
      await page.locator('main summary').focus();
      await page.keyboard.press('Enter');
      await page.getByRole('checkbox', { name: 'ledger' }).focus();
      await page.keyboard.press('Space');
      await page.getByRole('button', { name: 'Show the plan' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: /^Replay \d/u }).focus();
      await page.keyboard.press('Enter');
      await page.locator('.state', { hasText: 'finished' }).waitFor();
    });
  });

  test('Discard… and Pause… of a list lead the keyboard to the reason', async () => {
    await visit({}, async (page) => {
      for (const path of ['/quarantine', '/handlers/ledger?open=pause']) {
        await page.goto(path);
        if (path === '/quarantine') await page.getByRole('link', { name: 'Discard…' }).press('Enter');
        await page.locator('input[name=reason]:focus').waitFor();
      }
    });
  });

  test.each(views)('every page is accessible and as wide as the screen: $name', async (view) => {
    await visit({ locale: 'en-US' }, async (page) => {
      await retryAll(page);
      await page.getByText('stopped').first().waitFor();
    });
    await visit(view, async (page) => {
      await page.goto('/failures');
      const group = (await page.locator('a.kind').first().getAttribute('href')) ?? '';
      await page.goto('/quarantine');
      const problem = (await page.locator('a.kind').first().getAttribute('href')) ?? '';
      for (const path of [
        '/failures',
        group,
        '/quarantine',
        problem,
        '/plan?action=retry',
        '/plan?action=discard',
        '/plan?action=release',
        '/plan?action=replay&handlers=ledger',
        '/jobs',
        '/jobs/j1',
      ]) {
        await page.goto(path);
        if (path === '/jobs') await page.locator('main summary').click();
        expect(await violationsOf(page), path).toEqual([]);
        expect(await overflowOf(page), path).toBeLessThanOrEqual(0);
      }
    });
  });
});
