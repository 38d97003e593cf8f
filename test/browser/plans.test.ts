/** Plans and jobs of the console in a real browser: with and without JavaScript, on a desk and on a phone. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { fixture } from '../support/fixtures.ts';
import { serve, type RunningPortaria } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';
import { chromiumPath, needsChromium } from './chromium.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Deliveries that fail until the handler is mended. */
const FAILING = 14;

describe.skipIf(needsChromium())('plans and jobs', () => {
  let running: RunningPortaria;
  let browser: Browser;
  let mend: () => void;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] });
  });

  afterAll(async () => {
    await browser.close();
  });

  beforeEach(async () => {
    const { database, folder } = createWorkspace();
    const handlers = join(folder, 'ledger');
    mkdirSync(handlers);
    writeFileSync(
      join(handlers, 'ledger.mjs'),
      `import { existsSync } from 'node:fs';
       import { defineHandler, RetryLater } from 'portaria';
       export default defineHandler({ name: 'ledger', on: 'charge.*', retry: { attempts: 1 },
         handle({ data }) {
           if (!existsSync(${JSON.stringify(join(folder, 'mended'))})) throw RetryLater(0, 'no account ' + data.id);
         } });`,
    );
    mend = () => {
      writeFileSync(join(folder, 'mended'), '');
    };
    running = await serve({
      PORTARIA_DATABASE: database,
      PORTARIA_HANDLERS: handlers,
      PORTARIA_OPS_PORT: '0',
    });
    const { type, data } = fixture('charge.updated');
    for (let id = 1; id <= FAILING; id++) await running.post({ type, data: { ...data, id } });
    for (const id of ['one', 'two']) await running.post({ type, data: { ...data, id } });
    await eventually('every delivery is dead', async () => {
      const response = await fetch(new URL('/api/failures', running.operators));
      const { data: groups } = (await response.json()) as { data: { dead: number }[] };
      return groups[0]?.dead === FAILING ? groups : undefined;
    });
  });

  async function visit(
    options: Parameters<Browser['newContext']>[0],
    use: (page: Page) => Promise<void>,
  ): Promise<void> {
    const context = await browser.newContext({ baseURL: new URL('/', running.operators).href, ...options });
    const page = await context.newPage();
    const messages: string[] = [];
    page.on('console', (message) => messages.push(message.text()));
    page.on('pageerror', (error) => messages.push(error.message));
    await use(page);
    expect(messages).toEqual([]);
    await context.close();
  }

  /** Retries all as a plan from the page of failures, and returns on the page of its job. */
  async function retryAll(page: Page): Promise<void> {
    await page.goto('/failures');
    await page.getByRole('link', { name: 'Retry all…' }).click();
    await page.getByRole('heading', { name: `Retry ${String(FAILING)} deliveries?` }).waitFor();
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.waitForURL('**/jobs/j*');
  }

  test.each([{ javaScriptEnabled: true }, { javaScriptEnabled: false }])(
    'a retry stops at its first stage, and goes on once the cause is mended: %j',
    async (options) => {
      await visit(options, async (page) => {
        await retryAll(page);
        await page.getByText('stopped 1 of 1 failed').waitFor();
        await page.getByText('no account').first().waitFor();
        mend();
        await page.getByRole('button', { name: 'Resume' }).click();
        // The page reads its numbers again by itself.
        await page.locator('.state', { hasText: 'finished' }).waitFor();
        await page.getByText(`${String(FAILING)} of ${String(FAILING)}`).waitFor();
        await page.goto('/failures');
        await page.getByRole('heading', { name: '1 delivery failed for good' }).waitFor();
      });
    },
  );

  test('a discard asks for a reason, without JavaScript', async () => {
    await visit({ javaScriptEnabled: false }, async (page) => {
      await page.goto('/failures');
      await page.getByRole('link', { name: 'Discard…' }).first().click();
      await page.getByRole('textbox', { name: /stored with each delivery/u }).fill('a test');
      await page.getByRole('button', { name: 'Show the plan' }).click();
      await page.getByRole('button', { name: 'Discard', exact: true }).click();
      await page.locator('.state', { hasText: 'finished' }).waitFor();
      await page.getByText('a test').waitFor();
    });
  });

  test('a replay is composed, planned and watched with keys alone', async () => {
    mend();
    await visit({}, async (page) => {
      await page.goto('/replays');
      await page.locator('summary').focus();
      await page.keyboard.press('Enter');
      await page.getByRole('checkbox', { name: 'ledger' }).focus();
      await page.keyboard.press('Space');
      await page.getByRole('button', { name: 'Show the plan' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Replay', exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.locator('.state', { hasText: 'finished' }).waitFor();
    });
  });

  test.each([
    { name: 'desk-light', viewport: { width: 1280, height: 850 }, colorScheme: 'light' },
    { name: 'phone-dark', viewport: { width: 390, height: 800 }, colorScheme: 'dark' },
  ] as const)('every page is accessible and as wide as the screen: $name', async ({ name, ...view }) => {
    await visit(view, async (page) => {
      await retryAll(page);
      await page.getByText('stopped').first().waitFor();
      await page.goto('/failures');
      const group = (await page.locator('a.kind').first().getAttribute('href')) ?? '';
      await page.goto('/quarantine');
      const problem = (await page.locator('a.kind').first().getAttribute('href')) ?? '';
      for (const path of [
        '/failures',
        group,
        '/quarantine',
        problem,
        '/replays',
        '/plan?action=retry',
        '/plan?action=discard',
        '/plan?action=release',
        '/plan?action=replay&handler=ledger',
        '/jobs',
        '/jobs/j1',
      ]) {
        await page.goto(path);
        if (path === '/replays') await page.locator('summary').click();
        const violations = (await page.evaluate(`${axe}; axe.run(document).then((r) => r.violations)`)) as {
          id: string;
          nodes: { html: string }[];
        }[];
        expect(
          violations.map(({ id, nodes }) => [id, nodes[0]?.html]),
          path,
        ).toEqual([]);
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect(overflow, path).toBeLessThanOrEqual(0);
        const shots = process.env['CONSOLE_SHOTS'];
        if (shots !== undefined)
          await page.screenshot({
            path: join(shots, `${name}${path.replaceAll(/[^a-z0-9]+/gu, '-')}.png`),
            fullPage: true,
          });
      }
    });
  });
});
