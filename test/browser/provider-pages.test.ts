/** The provider's pages in a real browser, on a desk and on a phone. */
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { launchProgram } from '../support/launch-program.ts';
import { runProvider, type RunningProvider } from '../support/running-provider.ts';
import { createWorkspace } from '../support/workspace.ts';
import { needsChromium } from './chromium.ts';
import { type ViewOptions, overflowOf, useChromium, views, violationsOf, visitPage } from './visit-pages.ts';

describe.skipIf(needsChromium())("the provider's pages", () => {
  let provider: RunningProvider;

  useChromium();

  beforeAll(async () => {
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

  /** Opens pages with the given view, and fails on any message of the browser's console. */
  const visit = (options: ViewOptions, use: Parameters<typeof visitPage>[1]): Promise<void> =>
    visitPage({ baseURL: provider.url, locale: 'en-US', ...options }, use, /status of 4/u);

  const paths = [
    '/control/',
    '/control/deliveries',
    '/control/logins',
    '/control/slips',
    '/control/slips?family=charges',
    '/control/documents',
    '/control/logins/none',
  ];

  test.each(views)('are accessible and as wide as the screen: $name', async (view) => {
    await visit(view, async (page) => {
      for (const path of paths) {
        await page.goto(path);
        expect(await violationsOf(page), path).toEqual([]);
        expect(await overflowOf(page), path).toBe(0);
      }
    });
  });

  test('keys alone lead to a button of a row', async () => {
    await visit({}, async (page) => {
      await page.goto('/control/slips');
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
      await page.goto('/control/');
      // The first step may be done by itself meanwhile.
      await page.getByRole('button', { name: /^Now:/u }).last().focus();
      await page.keyboard.press('Enter');
      await page.getByText('Done.').waitFor();
    });
  });
});
