#!/usr/bin/env node
/**
 * Writes the pictures of `docs/console` with chromium: the built program with the data and the time of
 * `screenshots/`, so that a picture changes only if its page does.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { chromiumPath } from '../test/browser/chromium.ts';
import { root } from './bootstrap/paths.mjs';
import { MAX_BYTES, pictures } from './screenshots/pages.mjs';
import { playHistory } from './screenshots/play-history.mjs';

/** Tuesday, 15:00 in Brazil. */
const NOW = Date.parse('2026-03-10T18:00:00Z');
const STORE_ID = '7gk2m9';
const LIMIT_MS = 30_000;

const program = join(root, 'dist', 'src', 'cli', 'main.js');
const folder = mkdtempSync(join(tmpdir(), 'portaria-pictures-'));
const timeFile = join(folder, 'time');
/** @type {import('node:child_process').ChildProcess[]} */
const children = [];
try {
  setTime(24 * 3_600_000);
  const receiver = await startReceiver();
  await playHistory({
    post: (envelope) => receiver.post(envelope),
    // What was posted is handled at its own time.
    async setTime(before) {
      await receiver.settled();
      setTime(before);
    },
  });
  const storeId = await receiver.settled();
  await takePictures(receiver.operators, storeId);
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

/** @param {number} before milliseconds before the pictures */
function setTime(before) {
  writeFileSync(`${timeFile}.new`, String(NOW - before));
  renameSync(`${timeFile}.new`, timeFile);
}

/**
 * @param {readonly string[]} args
 * @param {Record<string, string>} env
 */
function run(args, env = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'] ?? '',
      TZ: 'UTC',
      NODE_OPTIONS: `--import=${new URL('screenshots/set-time.mjs', import.meta.url).href}`,
      SCREENSHOT_TIME_FILE: timeFile,
      ...env,
    },
  });
  children.push(child);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more) => (text += more));
  return { child, text: () => text };
}

/**
 * @template T
 * @param {string} what
 * @param {() => T | undefined | Promise<T | undefined>} find
 * @returns {Promise<T>}
 */
async function eventually(what, find) {
  for (const end = performance.now() + LIMIT_MS; performance.now() < end; await pause(50)) {
    const found = await find();
    if (found !== undefined) return found;
  }
  throw new Error(`not within ${LIMIT_MS / 1000} s: ${what}`);
}

async function startReceiver() {
  const { text } = run(['serve'], {
    PORTARIA_DATABASE: join(folder, 'portaria.db'),
    PORTARIA_HANDLERS: join(root, 'scripts', 'screenshots', 'handlers'),
    PORTARIA_PORT: '0',
    PORTARIA_OPS_PORT: '0',
    PORTARIA_LOG_FORMAT: 'json',
  });
  const ready = await eventually('the receiver is ready', () => {
    const line = text()
      .split('\n')
      .find((each) => each.endsWith('}') && each.includes('Portaria is ready'));
    return line === undefined ? undefined : JSON.parse(line);
  });
  const operators = new URL('/', ready.operators).href;
  return {
    operators,
    /** @param {unknown} envelope */
    async post(envelope) {
      await fetch(ready.listening, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(envelope),
      });
    },
    /** Waits until every delivery is handled. @returns {Promise<string>} the id of the store */
    settled: () =>
      eventually('every delivery is handled', async () => {
        const stats = /** @type {any} */ (await (await fetch(new URL('/api/stats', operators))).json());
        return stats.deliveries.pending + stats.deliveries.running === 0 ? stats.store_id : undefined;
      }),
  };
}

/**
 * @param {string} base of the pages
 * @param {string} storeId of this run
 */
async function takePictures(base, storeId) {
  const out = join(root, 'docs', 'console');
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] });
  const list = await fetch(new URL('/events?subject=charge:33', base), {
    headers: { accept: 'text/html' },
  });
  const event = /\/events\/([0-9a-z]+-\d+)"/.exec(await list.text())?.[1] ?? '';
  for (const { name, path, width = 1_280, scheme = 'light' } of pictures) {
    const context = await browser.newContext({
      viewport: { width, height: width === 390 ? 844 : 800 },
      colorScheme: scheme,
      locale: 'en-US',
      timezoneId: 'America/Sao_Paulo',
    });
    const page = await context.newPage();
    await page.route('**/*', async (route) => {
      if (route.request().resourceType() !== 'document') return route.continue();
      const response = await route.fetch();
      await route.fulfill({ response, body: anonymous(await response.text(), storeId) });
    });
    await page.goto(new URL(path.replace('<event>', event), base).href);
    const file = join('docs', 'console', `${name}.webp`);
    // Playwright writes PNG and JPEG; text in WebP is a third of PNG and sharper than JPEG.
    const session = await context.newCDPSession(page);
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
    const picture = Buffer.from(data, 'base64');
    if (picture.length > MAX_BYTES)
      throw new Error(`${file} has ${picture.length} bytes, more than ${MAX_BYTES}`);
    writeFileSync(join(root, file), picture);
    await context.close();
    console.log(`${file} ${Math.round(picture.length / 1000)} kB`);
  }
  await browser.close();
}

/**
 * Replaces what differs between two runs: the id of the store, places, ports, the process, and measurements.
 *
 * @param {string} html
 * @param {string} storeId
 */
function anonymous(html, storeId) {
  return html
    .replaceAll(storeId, STORE_ID)
    .replaceAll(folder, '/var/lib/portaria')
    .replaceAll(join(root, 'scripts', 'screenshots'), '/srv/fleet')
    .replaceAll(/a commit takes [\d.]+ ms/g, 'a commit takes 0.4 ms')
    .replaceAll(`on ${hostname()}<`, 'on fleet-1<')
    .replaceAll(/\d+ on fleet-1</g, '4711 on fleet-1<')
    .replaceAll(/[\d.]+ [GM]B free/g, '54.5 GB free')
    .replaceAll(/127[.]0[.]0[.]1:\d+/g, '127.0.0.1:4010');
}
