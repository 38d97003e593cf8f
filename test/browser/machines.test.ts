/** The pages of machines, subjects and the contract in a real browser. */
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { fixture } from '../support/webhooks/fixtures.ts';
import { serve, type RunningPortaria } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';
import { needsChromium } from './chromium.ts';
import { type ViewOptions, overflowOf, useChromium, views, violationsOf, visitPage } from './visit-pages.ts';

const SLIP = '/machines/payment-slip/charge-payment-slip%3A1';
const SUBJECT = '/subjects/charge-payment-slip%3A1';

/** The texts of a diagram that stick out of their boxes; runs in the browser. */
const NAMES_OUTSIDE = `[...document.querySelectorAll('.diagram .box')].flatMap((box) => {
  const frame = box.querySelector('rect').getBoundingClientRect();
  return [...box.querySelectorAll('text')].flatMap((text) => {
    const { left, right, top, bottom } = text.getBoundingClientRect();
    const fits = left >= frame.left && right <= frame.right && top >= frame.top && bottom <= frame.bottom;
    return fits ? [] : [text.textContent];
  });
})`;

describe.skipIf(needsChromium())('machines, subjects and the contract', () => {
  let running: RunningPortaria;

  useChromium();

  beforeAll(async () => {
    const { settings, writeHandler } = createWorkspace();
    writeHandler(
      'machines.mjs',
      `import { defineHandler } from 'portaria';
       import { indicationDocument } from 'portaria/handlers/indication-document';
       import { loginAttempt } from 'portaria/handlers/login-attempt';
       import { paymentSlip } from 'portaria/handlers/payment-slip';
       export default [indicationDocument(), loginAttempt(), paymentSlip(),
         defineHandler({ name: 'ledger', on: 'charge.*', retry: { baseMs: 600000, maxMs: 600000 },
           handle() { throw new Error('503 closed'); } })];`,
    );
    running = await serve({ ...settings, PORTARIA_OPS_PORT: '0' });
    const { type, data } = fixture('charge.payment-slip.updated');
    const moves = [
      [10, 'pending'],
      [13, 'pending'],
      [11, 'requested'],
      [12, 'issued'],
    ] as const;
    for (const [hour, status] of moves)
      await running.post({
        type,
        data: { ...data, id: 1, status, updated_at: `2026-11-20T${String(hour)}:00:00Z` },
      });
    await eventually('the machine has folded all events', async () => {
      const page = await fetch(new URL(SLIP, running.operators));
      return (await page.text()).includes('issued became pending') || undefined;
    });
  });

  /** Opens pages with the given view, and fails on any message of the browser's console. */
  const visit = (options: ViewOptions, use: Parameters<typeof visitPage>[1]): Promise<void> =>
    visitPage({ baseURL: new URL('/', running.operators).href, ...options }, use, /status of 404/u);

  const paths = [
    '/machines',
    '/machines/payment-slip',
    '/machines/payment-slip?phase=pending',
    '/machines/payment-slip?anomalous=true',
    '/machines/indication-document',
    '/machines/login-attempt',
    SLIP,
    SUBJECT,
    '/contract',
    '/contract/charge.payment-slip.updated',
    '/contract/company.login.failed',
  ];
  test.each(views)(
    'every page is accessible and as wide as the screen, each name of a diagram in its box: $name',
    async (view) => {
      await visit(view, async (page) => {
        for (const path of paths) {
          const response = await page.goto(path);
          expect(response?.status(), path).toBe(200);
          expect(await violationsOf(page), path).toEqual([]);
          expect(await overflowOf(page), path).toBeLessThanOrEqual(0);
          expect(await page.evaluate(NAMES_OUTSIDE), path).toEqual([]);
        }
      });
    },
  );

  test('keys alone lead through the diagram and its lists', async () => {
    await visit({ viewport: { width: 390, height: 800 } }, async (page) => {
      await page.goto('/machines/payment-slip');
      await page.locator('.diagram').focus();
      await page.keyboard.press('ArrowRight');
      await expect
        .poll(() => page.evaluate("document.querySelector('.diagram').scrollLeft"))
        .toBeGreaterThan(0);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/machines/payment-slip?phase=pending');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.waitForURL(`**${SLIP}`);
    });
  });
});
