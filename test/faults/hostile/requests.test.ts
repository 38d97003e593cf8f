/** Given ambiguous, truncated or oversized requests: each is accepted completely or rejected. */
import { expect, test } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { connect, type RawResponse } from '../../support/raw-connection.ts';
import { serve, type RunningPortaria } from '../../support/running-portaria.ts';
import { createWorkspace } from '../../support/workspace.ts';
import { printFigures } from '../kit/figures.ts';
import { openBeside } from '../kit/check-stored.ts';
import { ambiguousShapes, clearShapes, foreignShapes, type RequestShape } from './corpus/request-shapes.ts';
import { chargeBody } from '../kit/senders/webhooks.ts';

/** The first subject of smuggled requests. Other requests use subjects from 0. */
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
  const { database } = createWorkspace();
  const running = await serve({ PORTARIA_DATABASE: database, PORTARIA_BODY_TIMEOUT_MS: '1000', ...env });
  return { running, store: await openBeside(database) };
}

/** Sends bytes on a new connection, and returns up to `count` responses. */
async function send({ url }: RunningPortaria, text: string, count: number): Promise<readonly RawResponse[]> {
  const connection = await connect(Number(new URL(url).port));
  connection.send(Buffer.from(text, 'latin1'));
  const responses: RawResponse[] = [];
  try {
    while (responses.length < count) responses.push(await connection.response());
    return responses;
  } catch {
    return responses;
  } finally {
    connection.socket.destroy();
  }
}

/** Sends bytes on a new connection, and closes it without waiting for a response. */
async function sendAndClose({ url }: RunningPortaria, text: string): Promise<void> {
  const { socket, closed } = await connect(Number(new URL(url).port));
  socket.end(text);
  await closed;
}

async function isStored(store: Store, charge: number): Promise<boolean> {
  const subject = { family: 'charge', id: String(charge) };
  return (await store.events({ subject }, { order: 'oldest', limit: 1 })).length > 0;
}

/** Checks that a valid webhook is accepted and that Portaria logged no error. */
async function expectUnharmed(running: RunningPortaria): Promise<void> {
  expect((await running.post(JSON.parse(chargeBody(2_000_000, 1)))).status).toBe(202);
  expect(running.written()).not.toMatch(/"level":50|"status":5(?!01)\d\d/);
}

/** Sends shapes that each hold one request with another behind it, and returns the outcomes. */
async function sendShapes(running: RunningPortaria, store: Store, shapes: readonly RequestShape[]) {
  const heard: (readonly RawResponse[])[] = [];
  for (const [id, { bytes }] of shapes.entries())
    heard.push(await send(running, bytes(chargeBody(id, 1), post(chargeBody(SMUGGLED + id, 1))), 2));
  // An event stored without a response is committed before that of a later webhook.
  await expectUnharmed(running);
  return Promise.all(
    shapes.map(async ({ name }, id) => ({
      shape: name,
      statuses: heard[id]?.map(({ status }) => status) ?? [],
      stored: [await isStored(store, id), await isStored(store, SMUGGLED + id)],
    })),
  );
}

test('an ambiguous request is rejected, and nothing behind it is processed', async () => {
  const { running, store } = await start();

  const outcomes = await sendShapes(running, store, [...ambiguousShapes, ...foreignShapes]);

  const taken = outcomes.filter(({ stored }) => stored[0]).length;
  const smuggled = outcomes.filter(({ stored }) => stored[1]).length;
  printFigures('hostile requests, ambiguous', { cases: outcomes.length, accepted: taken, smuggled });
  for (const { shape, statuses, stored } of outcomes) {
    // CONNECT gets no response at all.
    expect([undefined, 400], shape).toContain(statuses[0]);
    expect(stored, shape).toEqual([false, false]);
  }
});

test('an unusual but unambiguous request is accepted, and so is the one behind it', async () => {
  const { running, store } = await start();

  const outcomes = await sendShapes(running, store, clearShapes);

  const taken = outcomes.flatMap(({ stored }) => stored).filter((isThere) => isThere).length;
  printFigures('hostile requests, unusual', {
    cases: outcomes.length,
    sent: 2 * outcomes.length,
    accepted: taken,
  });
  expect(outcomes).toEqual(
    clearShapes.map(({ name }) => ({ shape: name, statuses: [202, 202], stored: [true, true] })),
  );
});

test('a body that is truncated or has no length is never accepted', async () => {
  const { running, store } = await start();
  const body = chargeBody(1, 1);
  const announced = post(`${body} `).slice(0, -1);
  const chunked = `POST /webhooks HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}`;
  const unannounced = `POST /webhooks HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n${body}`;

  const cut = [announced, chunked, `${chunked}\r\n`, unannounced];
  const heard = await Promise.all(cut.map((text) => send(running, text, 1)));
  const gone = cut.slice(0, -1);
  await Promise.all(gone.map((text) => sendAndClose(running, text)));

  const statuses = heard.flat().map(({ status }) => status);
  const taken = statuses.filter((status) => status === 202).length;
  printFigures('hostile requests, cut short', { cases: cut.length + gone.length, accepted: taken });
  // Three requests time out. The one without a length has an empty body.
  expect(statuses).toEqual([408, 408, 408, 400]);
  await expectUnharmed(running);
  expect(await isStored(store, 1)).toBe(false);
});

test('accepts many headers, rejects too many bytes of headers, and rejects a repeated token', async () => {
  const { running, store } = await start({ PORTARIA_VERIFY: 'token', PORTARIA_SECRETS: 'right' });
  const token = 'X-Webhook-Token: right';
  const filler = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, at) => `${at.toString(36)}:`);
  const cases: readonly (readonly [status: number, headers: readonly string[]])[] = [
    [202, [token]],
    [202, [...filler(4_000), token]],
    // An upgrade offer of Java's HTTP client, which is declined.
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
    statuses.push((await send(running, post(chargeBody(id, 1), headers), 1))[0]?.status);

  expect(statuses).toEqual(cases.map(([status]) => status));
  for (const [id, [status]] of cases.entries()) expect(await isStored(store, id)).toBe(status === 202);
  expect(running.written()).not.toMatch(/"level":50|"status":5(?!01)\d\d/);
  const taken = statuses.filter((status) => status === 202).length;
  printFigures('hostile requests, headers', {
    cases: cases.length,
    accepted: taken,
    rejected: cases.length - taken,
  });
});
