/** Requests that two programs in a row might read differently, cut short, or swollen: taken whole or refused, never guessed. */
import { expect, test } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { connect, type RawResponse } from '../../support/raw-connection.ts';
import { serve, type RunningPortaria } from '../../support/running-portaria.ts';
import { workshop } from '../../support/workshop.ts';
import { printFigures } from '../kit/figures.ts';
import { readBeside } from '../kit/kept.ts';
import { ambiguousShapes, clearShapes, foreignShapes, type RequestShape } from './corpus/request-shapes.ts';
import { chargeBody } from '../kit/webhooks.ts';

/** Subjects of requests that are hidden in others; those of the others count from 0. */
const SMUGGLED = 1_000_000;

function post(body: string, headers: readonly string[] = []): string {
  const lines = [
    'POST /webhooks HTTP/1.1',
    'Host: localhost',
    `Content-Length: ${String(body.length)}`,
    ...headers,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

async function start(env: Readonly<Record<string, string>> = {}) {
  const { database } = workshop();
  const running = await serve({ PORTARIA_DATABASE: database, PORTARIA_BODY_TIMEOUT_MS: '1000', ...env });
  return { running, store: await readBeside(database) };
}

/** Says it on a connection of its own, and closes that unless it is closed; the answers to what was said. */
async function say({ url }: RunningPortaria, text: string, answers: number): Promise<readonly RawResponse[]> {
  const connection = await connect(Number(new URL(url).port));
  connection.send(Buffer.from(text, 'latin1'));
  const heard: RawResponse[] = [];
  try {
    while (heard.length < answers) heard.push(await connection.response());
    return heard;
  } catch {
    return heard;
  } finally {
    connection.socket.destroy();
  }
}

/** Says it on a connection of its own, and goes away without waiting for an answer. */
async function sayAndGo({ url }: RunningPortaria, text: string): Promise<void> {
  const { socket, closed } = await connect(Number(new URL(url).port));
  socket.end(text);
  await closed;
}

async function isStored(store: Store, charge: number): Promise<boolean> {
  const subject = { family: 'charge', id: String(charge) };
  return (await store.events({ subject }, { order: 'oldest', limit: 1 })).length > 0;
}

/** After anything that was said before it, an honest webhook is taken, and nobody complained of Portaria. */
async function expectUnharmed(running: RunningPortaria): Promise<void> {
  expect((await running.post(JSON.parse(chargeBody(2_000_000, 1)))).status).toBe(202);
  expect(running.written()).not.toMatch(/"level":50|"status":5\d\d/);
}

/** What became of shapes that each hold one request, with another behind it. */
async function tell(running: RunningPortaria, store: Store, shapes: readonly RequestShape[]) {
  const heard: (readonly RawResponse[])[] = [];
  for (const [id, { bytes }] of shapes.entries())
    heard.push(await say(running, bytes(chargeBody(id, 1), post(chargeBody(SMUGGLED + id, 1))), 2));
  // What is stored without an answer is there by the time that a later webhook is.
  await expectUnharmed(running);
  return Promise.all(
    shapes.map(async ({ name }, id) => ({
      shape: name,
      statuses: heard[id]?.map(({ status }) => status) ?? [],
      stored: [await isStored(store, id), await isStored(store, SMUGGLED + id)],
    })),
  );
}

test('what could be read in two ways is refused, and nothing behind it is believed', async () => {
  const { running, store } = await start();

  const told = await tell(running, store, [...ambiguousShapes, ...foreignShapes]);

  const taken = told.filter(({ stored }) => stored[0]).length;
  const smuggled = told.filter(({ stored }) => stored[1]).length;
  printFigures('hostile requests, ambiguous', { cases: told.length, taken, smuggled });
  for (const { shape, statuses, stored } of told) {
    // A tunnel is not even answered.
    expect([undefined, 400], shape).toContain(statuses[0]);
    expect(stored, shape).toEqual([false, false]);
  }
});

test('what is unusual and clear is taken, and so is what comes behind it', async () => {
  const { running, store } = await start();

  const told = await tell(running, store, clearShapes);

  const taken = told.flatMap(({ stored }) => stored).filter((isThere) => isThere).length;
  printFigures('hostile requests, unusual', { cases: told.length, sent: 2 * told.length, taken });
  expect(told).toEqual(
    clearShapes.map(({ name }) => ({ shape: name, statuses: [202, 202], stored: [true, true] })),
  );
});

test('a body that is cut short or has no length is never taken for a whole one', async () => {
  const { running, store } = await start();
  const body = chargeBody(1, 1);
  const announced = post(`${body} `).slice(0, -1);
  const chunked = `POST /webhooks HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}`;
  const unannounced = `POST /webhooks HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n${body}`;

  const cut = [announced, chunked, `${chunked}\r\n`, unannounced];
  const heard = await Promise.all(cut.map((text) => say(running, text, 1)));
  const gone = cut.slice(0, -1);
  await Promise.all(gone.map((text) => sayAndGo(running, text)));

  const statuses = heard.flat().map(({ status }) => status);
  const taken = statuses.filter((status) => status === 202).length;
  printFigures('hostile requests, cut short', { cases: cut.length + gone.length, taken });
  // Too slow, three times; and one that is empty, as HTTP has it.
  expect(statuses).toEqual([408, 408, 408, 400]);
  await expectUnharmed(running);
  expect(await isStored(store, 1)).toBe(false);
});

test('many headers are taken, too many bytes of them are not, and a header sent twice proves nothing', async () => {
  const { running, store } = await start({ PORTARIA_VERIFY: 'token', PORTARIA_SECRETS: 'right' });
  const token = 'X-Webhook-Token: right';
  const filler = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, at) => `${at.toString(36)}:`);
  const cases: readonly (readonly [status: number, headers: readonly string[]])[] = [
    [202, [token]],
    [202, [...filler(4_000), token]],
    // An offer that is declined, as Java's own client makes it.
    [202, [token, 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAEAAEAA']],
    [431, [...filler(8_000), token]],
    [431, [token, `X-Huge: ${'x'.repeat(16_384)}`]],
    [401, []],
    [401, ['X-Webhook-Token: wrong', token]],
    [401, [token, token]],
    [401, [token, 'X-Webhook-Token:']],
    [401, ['X-Webhook-Token: right, right']],
    [415, [token, 'Content-Encoding: gzip', 'Content-Encoding: identity']],
  ];

  const statuses = [];
  for (const [id, [, headers]] of cases.entries())
    statuses.push((await say(running, post(chargeBody(id, 1), headers), 1))[0]?.status);

  expect(statuses).toEqual(cases.map(([status]) => status));
  for (const [id, [status]] of cases.entries()) expect(await isStored(store, id)).toBe(status === 202);
  expect(running.written()).not.toMatch(/"level":50|"status":5\d\d/);
  const taken = statuses.filter((status) => status === 202).length;
  printFigures('hostile requests, headers', { cases: cases.length, taken, refused: cases.length - taken });
});
