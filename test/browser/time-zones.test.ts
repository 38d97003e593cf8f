/** Times of a visitor in another zone than the server: what a page shows, a form finds. */
import { beforeAll, describe, expect, test } from 'vitest';
import { fixture } from '../support/webhooks/fixtures.ts';
import { serve, type RunningPortaria } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';
import { needsChromium } from './chromium.ts';
import { useChromium, visitPage, type ViewOptions } from './visit-pages.ts';

/** Far from UTC, and without a time of summer. */
const ZONE = 'America/Sao_Paulo';

describe.skipIf(needsChromium())('a visitor in another time zone', () => {
  let running: RunningPortaria;
  useChromium();
  beforeAll(async () => {
    running = await serve({ PORTARIA_DATABASE: createWorkspace().database, TZ: 'UTC' });
    const { type, data } = fixture('charge.updated');
    await running.post({ type, data });
  });

  const visit = (options: ViewOptions, use: Parameters<typeof visitPage>[1]): Promise<void> =>
    visitPage({ baseURL: running.operators, timezoneId: ZONE, ...options }, use);

  /** The date and the time of day of an instant in the zone, as a form takes them. */
  const local = (ms: number): string => new Date(ms).toLocaleString('sv-SE', { timeZone: ZONE }).slice(0, 16);

  test('finds by the times that the pages show, and the address names instants', async () => {
    await visit({}, async (page) => {
      const events = await fetch(new URL('/api/events', running.operators));
      const [event] = ((await events.json()) as { data: { received_at: string }[] }).data;
      const minute = Math.floor(Date.parse(event?.received_at ?? '') / 60_000);
      const [before, after] = [(minute - 1) * 60_000, (minute + 1) * 60_000];
      const found = async (since: string, until: string): Promise<number> => {
        await page.goto('/events');
        await page.locator('.chip summary', { hasText: 'Time' }).click();
        await page.getByLabel('Since').fill(since);
        await page.getByLabel('Until').fill(until);
        await page.getByRole('button', { name: 'Filter' }).click();
        await page.waitForURL('**since=*');
        return page.locator('main tbody tr').count();
      };
      expect(await found(local(before), local(after))).toBe(1);
      const { searchParams } = new URL(page.url());
      expect([searchParams.get('since'), searchParams.get('until')]).toEqual(
        [before, after].map((ms) => new Date(ms).toISOString().replace('.000', '')),
      );
      expect(await page.getByLabel('Since').inputValue()).toBe(local(before));
      expect(await found(local(after), '')).toBe(0);
      expect(await found('', local(before))).toBe(0);
      expect(await found('2h', '')).toBe(1);
      expect(new URL(page.url()).searchParams.get('since')).toBe('2h');
    });
  });

  test('searches by such a time from the field of every page', async () => {
    await visit({}, async (page) => {
      const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 3_600_000;
      await page.goto('/');
      await page.getByLabel('Search', { exact: true }).fill(`kind:charge.* since:${local(hour)}`);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/events?*');
      expect(new URL(page.url()).searchParams.get('since')).toBe(
        new Date(hour).toISOString().replace('.000', ''),
      );
      expect(await page.locator('main tbody tr').count()).toBe(1);
    });
  });

  test('plans a replay by such a time', async () => {
    await visit({}, async (page) => {
      const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
      await page.goto('/jobs');
      await page.locator('main summary').click();
      await page.getByRole('checkbox').first().check();
      await page.getByLabel('Since').fill(local(hour));
      await page.getByRole('button', { name: 'Show the plan' }).click();
      await page.waitForURL('**/plan?*');
      expect(new URL(page.url()).searchParams.get('since')).toBe(
        new Date(hour).toISOString().replace('.000', ''),
      );
    });
  });

  test('reads which zone the times are in; without JavaScript that of the server, also in the form', async () => {
    await visit({}, async (page) => {
      await page.goto('/events');
      expect(await page.locator('header .zone').textContent()).toContain('GMT-3');
      expect(await page.locator('.chips .note').textContent()).toContain(ZONE);
    });
    await visit({ javaScriptEnabled: false }, async (page) => {
      await page.goto('/events?since=2026-01-02+03:04');
      expect(await page.locator('header .zone').textContent()).toContain('GMT');
      expect(await page.locator('.chips .note').textContent()).toContain('UTC');
      expect(await page.getByLabel('Since').inputValue()).toBe('2026-01-02T03:04:00Z');
    });
  });
});
