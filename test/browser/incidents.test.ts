/** Each incident of the demo is found from the overview and mended there and by the provider's controls, without JavaScript. */
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { launchNode } from '../support/launch-program.ts';
import { needsChromium } from './chromium.ts';
import { newContext, useChromium } from './visit-pages.ts';

/** Two programs start up to three times, on a busy machine. */
const HAPPENED_MS = 100_000;

const demo = fileURLToPath(new URL('../../demo/main.mjs', import.meta.url));

describe.skipIf(needsChromium())('an incident', { timeout: 180_000 }, () => {
  useChromium();

  /** Lets an incident happen, and opens the overview of the receiver's console. */
  async function begin(incident: string): Promise<{ readonly page: Page; readonly provider: string }> {
    const { child, out, ended } = launchNode([demo, '--console', '--incident', incident]);
    onTestFinished(async () => {
      child.kill('SIGINT');
      expect((await ended).code).toBe(0);
    });
    const text = await eventually(
      'the incident has happened',
      () => {
        if (child.exitCode !== null) throw new Error(`the demo ended:\n${out()}`);
        return out().includes('Ctrl-C') ? out() : undefined;
      },
      HAPPENED_MS,
    );
    const address = (side: string) => new RegExp(`${side} +(http://\\S+)`, 'u').exec(text)?.[1] ?? '';
    const context = await newContext({ javaScriptEnabled: false, locale: 'en-US' });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(address('console'));
    return { page, provider: address('controls') };
  }

  /** Reloads a page until it shows this: without JavaScript it does not refresh itself. */
  async function shows(page: Page, address: string, what: string): Promise<void> {
    await eventually(
      `the page shows ${what}`,
      async () => {
        await page.goto(address);
        return (await page.getByText(what).count()) > 0;
      },
      HAPPENED_MS,
    );
  }

  /** Uses a control of the provider. */
  async function use(control: URL, body: object = {}): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(control, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(response.status).toBe(200);
  }

  test('a handler that fails for one company', async () => {
    const { page, provider } = await begin('handler');
    const overview = page.url();

    await shows(page, overview, '3 deliveries to statements failed.');
    await page.getByRole('link', { name: 'Retry or discard' }).click();
    await page.getByText('company 1 has no session with the portal').first().waitFor();
    const failures = page.url();
    // The story of the login tells the same.
    await page.goto(new URL('/subjects/company-login:1', overview).href);
    await page.locator('tbody').getByText('company.login.failed').first().waitFor();

    await use(new URL('companies/1/login/succeed', provider));

    await page.goto(failures);
    await page.getByRole('link', { name: 'Retry all…' }).click();
    await page.getByRole('button', { name: /^Retry \d/u }).click();
    await shows(page, overview, 'Nothing needs you');
  });

  test('a sender that changed a field', async () => {
    const { page } = await begin('sender');
    const overview = page.url();

    await shows(page, overview, '8 webhooks of');
    await page.getByRole('link', { name: 'Release or discard' }).click();
    await page.locator('tbody').getByText('data.kilograms').first().waitFor();
    await page.locator('tbody').getByText('expected number, received string').first().waitFor();
    await page.getByRole('link', { name: 'Release what is valid now…' }).click();
    await page.getByRole('button', { name: /^Release 8/u }).click();

    await shows(page, overview, 'Nothing needs you');
  });

  test('a lane that stands still', async () => {
    const { page, provider } = await begin('lane');
    const overview = page.url();

    await shows(page, overview, 'the agency has not issued it');
    const lane = page.locator('.problems li', { hasText: 'the agency has not issued it' }).first();
    const error = await lane.textContent();
    expect(error).toContain('slip-documents');
    await page.getByRole('link', { name: 'See the subject' }).click();
    await page.getByText('Waiting').first().waitFor();
    const slip = /slip (\d+)/u.exec(error ?? '')?.[1] ?? '';

    await use(new URL(`charges/payment-slips/${slip}/status`, provider), { status: 'issued' });

    await shows(page, overview, 'Nothing needs you');
  });
});
