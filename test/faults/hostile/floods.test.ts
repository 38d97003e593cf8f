/** Given floods from unknown senders: the log stays short, the quarantine stays within its quota, and entries of verified senders are kept. */
import { Agent, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { serve } from '../../support/running-portaria.ts';
import { createWorkspace } from '../../support/workspace.ts';
import { mebibytes, printFigures } from '../kit/figures.ts';
import { openBeside } from '../kit/check-stored.ts';
import { draws, seedOfRun } from '../kit/seed.ts';
import { statisticsOf } from '../kit/statistics.ts';
import { expectNoErrors } from '../kit/programs/target.ts';
import { chargeBody } from '../kit/senders/webhooks.ts';

type Headers = Readonly<Record<string, string>>;
const TOKEN = 'a-token-of-some-length';
/** The smallest quota that can be configured. */
const QUOTA = 1_048_576;
const SENDERS = 16;
/** The number of requests that are rejected. */
const REJECTED = 3_200;

function sender(url: string, sockets: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets });
  onTestFinished(() => {
    agent.destroy();
  });
  return (path: string, headers: Headers, body: string): Promise<{ status: number; id: string }> =>
    new Promise((resolve, reject) => {
      const options = {
        method: 'POST',
        agent,
        headers: { 'content-length': Buffer.byteLength(body), ...headers },
      };
      const sending = request(new URL(path, url), options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.once('end', () => {
          const { id = '' } = JSON.parse(text) as { id?: string };
          resolve({ status: response.statusCode ?? 0, id });
        });
      });
      sending.once('error', reject).end(body);
    });
}

test('a flood of rejected requests of every kind logs one line per second and kind, which counts them all', async () => {
  const running = await serve({
    PORTARIA_DATABASE: createWorkspace().database,
    PORTARIA_VERIFY: 'token',
    PORTARIA_SECRETS: TOKEN,
    PORTARIA_SOURCES: '{"open":{"verify":"none"}}',
  });
  const send = sender(running.url, SENDERS);
  const kinds: readonly (readonly [path: string, headers: Headers, body: string])[] = [
    ['/webhooks', {}, '{}'],
    ['/webhooks', { 'x-webhook-token': 'wrong' }, '{}'],
    ['/webhooks/nowhere', {}, '{}'],
    ['/webhooks', { 'content-encoding': 'gzip' }, '{}'],
    ['/webhooks', { origin: 'https://evil.example' }, '{}'],
    ['/webhooks/open', {}, '{'],
    ['/webhooks/open', { host: 'rebound.example' }, '{}'],
  ];
  const sent = new Map<number, number>();
  const before = running.written().length;
  const began = performance.now();

  await Promise.all(
    Array.from({ length: SENDERS }, async (_, one) => {
      for (let number = one; number < one + REJECTED / SENDERS; number += 1) {
        const [path, headers, body] = kinds[number % kinds.length] ?? ['/', {}, ''];
        const { status } = await send(path, headers, body);
        sent.set(status, (sent.get(status) ?? 0) + 1);
      }
    }),
  );
  // The sums are logged a second later.
  const counted = await eventually('every rejected request is counted', () => {
    const counts = countsOf(running.written());
    return [...sent].every(([status, count]) => counts.get(status)?.times === count) && counts;
  });

  const seconds = (performance.now() - began) / 1_000;
  const lines = [...counted.values()].reduce((sum, count) => sum + count.lines, 0);
  const bytes = running.written().length - before;
  printFigures('hostile floods, rejected', {
    cases: [...sent.values()].reduce((sum, count) => sum + count, 0),
    kinds: sent.size,
    lines,
    bytes,
    seconds: Math.round(seconds),
  });
  expect([...sent.keys()].toSorted()).toEqual([400, 401, 403, 404, 415]);
  // One line per source and reason at once, and then one per second.
  expect(lines).toBeLessThanOrEqual(kinds.length * (2 + Math.ceil(seconds)));
  expect(bytes).toBeLessThan(1_000 * lines);
  expectNoErrors(running);
});

/** The number of lines for each status, and the number of responses that they count. */
function countsOf(log: string): ReadonlyMap<number, { readonly lines: number; readonly times: number }> {
  const counts = new Map<number, { lines: number; times: number }>();
  for (const line of log.trimEnd().split('\n')) {
    const { status = 0, times = 1 } = JSON.parse(line) as { status?: number; times?: number };
    const { lines, times: sum } = counts.get(status) ?? { lines: 0, times: 0 };
    counts.set(status, { lines: lines + 1, times: sum + times });
  }
  return counts;
}

test('unknown senders fill the quarantine many times over and drop no entry of a verified sender', async () => {
  const seed = seedOfRun();
  const { between } = draws(seed);
  const { database } = createWorkspace();
  const running = await serve({
    PORTARIA_DATABASE: database,
    PORTARIA_VERIFY: 'token',
    PORTARIA_SECRETS: TOKEN,
    PORTARIA_SOURCES: '{"open":{"verify":"none"}}',
    PORTARIA_MAX_QUARANTINE_BYTES: String(QUOTA),
  });
  const store = await openBeside(database);
  const send = sender(running.url, SENDERS);
  const verified = new Map<string, string>();
  let maxBytes = 0;
  let bytes = 0;
  let cases = 0;

  /** Sends a malformed or an invalid body of any allowed length. */
  async function flood(number: number): Promise<void> {
    const length = between(0, 100) === 0 ? between(500_000, 1_048_000) : between(0, 20_000);
    const text = `${String(number)} ${'x'.repeat(length)}`;
    const isMalformed = between(0, 1) === 0;
    const body = isMalformed ? text : `{"type":"charge.updated","data":{"id":"${text}"}}`;
    expect((await send('/webhooks/open', {}, body)).status).toBe(isMalformed ? 400 : 422);
    bytes += body.length;
    cases += 1;
  }
  for (let number = 0; number < 1_200; number += SENDERS) {
    const body = `{"type":"charge.updated","data":{"id":"verified ${String(number)}"}}`;
    const [quarantined, accepted] = await Promise.all([
      send('/webhooks', { 'x-webhook-token': TOKEN }, body),
      send('/webhooks', { 'x-webhook-token': TOKEN }, chargeBody(number, 1)),
      ...Array.from({ length: SENDERS - 2 }, (_, one) => flood(number + one)),
    ]);
    expect([quarantined.status, accepted.status]).toEqual([422, 202]);
    verified.set(quarantined.id, body);
    maxBytes = Math.max(maxBytes, (await statisticsOf(running)).quarantine_bytes);
  }

  const { quarantine_dropped: dropped, quarantine_held: held } = await statisticsOf(running);
  printFigures('hostile floods, quarantine', {
    cases,
    sent: mebibytes(bytes),
    'max-quarantine': mebibytes(maxBytes),
    held,
    dropped: dropped.unverified,
    verified: verified.size,
    verifiedDropped: dropped.verified,
    seed,
  });
  expect(bytes).toBeGreaterThan(8 * QUOTA);
  expect(maxBytes).toBeLessThanOrEqual(QUOTA);
  expect(dropped.verified).toBe(0);
  expect(dropped.unverified).toBeGreaterThan(0);
  for (const [id, body] of verified)
    expect(Buffer.from((await store.quarantinedDelivery(id))?.body ?? []).toString()).toBe(body);
  expectNoErrors(running);
});
