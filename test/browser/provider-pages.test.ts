/** The provider's pages in a real browser: on a desk and on a phone, with and without JavaScript. */
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchProgram } from '../support/launch-program.ts';
import { runProvider, type RunningProvider } from '../support/running-provider.ts';
import { createWorkspace } from '../support/workspace.ts';
import { needsChromium } from './chromium.ts';
import { type ViewOptions, launchChromium, overflowOf, violationsOf, visitPage } from './visit-pages.ts';

describe.skipIf(needsChromium())("the provider's pages", () => {
  let browser: Browser;
  let provider: RunningProvider;

  beforeAll(async () => {
    browser = await launchChromium();
  });

  beforeEach(async () => {
    const file = join(createWorkspace().folder, 'provider.db');
    const run = async (...args: string[]) => {
      expect((await launchProgram(['--database', file, 'provider', ...args]).ended).code).toBe(0);
    };
    await run('keys', 'create', 'Serra Azul');
    // Nothing listens there, so webhooks fail and wait.
    await run('endpoints', 'add', 'http://127.0.0.1:1/webhooks');
    await run('seed', '--companies', '3', '--violations', '60', '--webhooks');
    provider = await runProvider(file, '--console', 'http://127.0.0.1:9090/');
  });

  afterAll(async () => {
    await browser.close();
  });

  /** Opens pages with the given view, and fails on any message of the browser's console. */
  const visit = (options: ViewOptions, use: Parameters<typeof visitPage>[2]): Promise<void> =>
    visitPage(browser, { baseURL: provider.url, locale: 'en-US', ...options }, use, /status of 4/u);

  const paths = [
    '/control/',
    '/control/deliveries',
    '/control/logins',
    '/control/slips',
    '/control/slips?family=charges',
    '/control/documents',
    '/control/logins/none',
  ];

  test.each([
    { name: 'desk, light', viewport: { width: 1280, height: 850 }, colorScheme: 'light' },
    { name: 'desk, dark', viewport: { width: 1280, height: 850 }, colorScheme: 'dark' },
    { name: 'phone, light', viewport: { width: 390, height: 800 }, colorScheme: 'light' },
    { name: 'phone, dark', viewport: { width: 390, height: 800 }, colorScheme: 'dark' },
  ] as const)('are accessible and as wide as the screen: $name', async (view) => {
    await visit(view, async (page) => {
      for (const path of paths) {
        await page.goto(path);
        expect(await violationsOf(page), path).toEqual([]);
        expect(await overflowOf(page), path).toBe(0);
      }
    });
  });

  test('the clock, chaos and a login are driven without JavaScript', async () => {
    await visit({ javaScriptEnabled: false }, async (page) => {
      await page.goto('/control/');
      await page.getByRole('button', { name: 'stop: Speed' }).click();
      await page.getByText('stands still').waitFor();
      await page.getByLabel('Advance by').fill('2h');
      await page.getByRole('button', { name: 'Advance' }).click();
      await page.getByText('The clock was advanced;').waitFor();
      await page.getByLabel('reorder').fill('2');
      await page.getByRole('button', { name: 'Set the rates' }).click();
      await page.getByText('reorder: expected a number from 0 to 1').waitFor();
      await page.getByLabel('reorder').fill('0.5');
      await page.getByRole('button', { name: 'Set the rates' }).click();
      await page.getByText('Done.').waitFor();
      expect(await page.getByLabel('reorder').inputValue()).toBe('0.5');

      await page.getByRole('link', { name: 'Logins' }).click();
      await page
        .getByRole('button', { name: /^(?:Start|End session): company 1$/u })
        .first()
        .click();
      await page.getByText('Done.').waitFor();
      await page.getByRole('link', { name: 'Webhooks' }).click();
      const subject = page.getByRole('link', { name: 'company-login:1' }).first();
      expect(await subject.getAttribute('href')).toBe('http://127.0.0.1:9090/subjects/company-login%3A1');
    });
  });

  test('keys alone lead to a button of a row', async () => {
    await visit({}, async (page) => {
      await page.goto('/control/slips');
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
      await page.goto('/control/');
      await page.getByRole('button', { name: /^Now:/u }).first().focus();
      await page.keyboard.press('Enter');
      await page.getByText('Done.').waitFor();
    });
  });

  test('a page of another origin changes nothing', async () => {
    await visit({}, async (page) => {
      await page.setContent(
        `<form method="post" action="${provider.url}/control/do/clock/advance"><input name="by" value="1d"><button>go</button></form>`,
      );
      await page.getByRole('button').click();
      await page.getByText('Forbidden').waitFor();
      const clock = (await (await fetch(`${provider.url}/control/clock`)).json()) as {
        readonly data: { readonly ahead_ms: number };
      };
      expect(clock.data.ahead_ms).toBe(0);
    });
  });
});
