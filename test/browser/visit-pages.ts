/** What every test in a browser does: start chromium, visit pages, and check what they look like to everyone. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { chromiumPath } from './chromium.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Each width, scheme of colours and language: no colour depends on a width or a language. */
export const views = [
  { name: 'desk, light', viewport: { width: 1280, height: 850 }, colorScheme: 'light', locale: 'en-US' },
  { name: 'phone, dark', viewport: { width: 390, height: 800 }, colorScheme: 'dark', locale: 'pt-BR' },
  { name: 'desk at 200 %', viewport: { width: 640, height: 425 }, colorScheme: 'dark', locale: 'en-US' },
] as const;

export type ViewOptions = Parameters<Browser['newContext']>[0];

/** Starts chromium for the tests of a file, or of a group of tests. */
export function useChromium(): void {
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());
}

let browser: Browser;

/** A visitor who has not been here before. */
export function newContext(options: ViewOptions): Promise<BrowserContext> {
  return browser.newContext(options);
}

/** Adds to `messages` what a page writes to the browser's console, and its uncaught errors. */
export function collectMessages(page: Page, messages: string[]): void {
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(error.message));
}

/**
 * Opens a page with the given view, and fails on any message of the browser's console.
 *
 * @param rejections messages that are expected: the browser reports the status of what was rejected
 */
export async function visitPage(
  options: ViewOptions,
  use: (page: Page, context: BrowserContext) => Promise<void>,
  rejections?: RegExp,
): Promise<void> {
  const context = await newContext(options);
  const page = await context.newPage();
  const messages: string[] = [];
  collectMessages(page, messages);
  await use(page, context);
  expect(messages.filter((message) => rejections?.test(message) !== true)).toEqual([]);
  await context.close();
}

/** What axe finds on a page: the rule, and the first element that breaks it. Targets have 24 pixels or room. */
export async function violationsOf(page: Page): Promise<readonly (readonly [rule: string, html: string])[]> {
  return page.evaluate(
    `${axe}; axe.run({ rules: { 'target-size': { enabled: true } } }).then((r) => r.violations.map(({ id, nodes }) => [id, nodes[0]?.html]))`,
  );
}

/** The pixels by which a page is wider than the screen. */
export async function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - innerWidth');
}
