/** Given ambiguous and unusual requests, and requests hidden in others: each is accepted completely or rejected as documented, and nothing behind a rejected one is processed. */
import { expect, test } from 'vitest';
import { serve } from '../../support/running-portaria.ts';
import { createWorkspace } from '../../support/workspace.ts';
import { exchange } from '../kit/senders/exchange.ts';
import { printFigures } from '../kit/figures.ts';
import { expectNoErrors, openBeside } from '../kit/check-stored.ts';
import { statisticsOf } from '../kit/statistics.ts';
import { chargeBody } from '../kit/senders/webhooks.ts';
import { ambiguousShapes, clearShapes, foreignShapes, type RequestShape } from './corpus/request-shapes.ts';
import { hidingPlaces, targetShapes } from './corpus/target-shapes.ts';

/** The first subject of requests that are hidden in others or follow them. Other requests use subjects from 0. */
const SECOND = 1_000_000;

function post(body: string): string {
  return `POST /webhooks HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`;
}

/** A running Portaria whose responses are counted. */
async function start(env: Readonly<Record<string, string>> = {}) {
  const { database } = createWorkspace();
  const running = await serve({ PORTARIA_DATABASE: database, PORTARIA_BODY_TIMEOUT_MS: '2000', ...env });
  const store = await openBeside(database);
  let accepted = 0;
  return {
    async send(text: string): Promise<readonly number[]> {
      const statuses = (await exchange(running.url, text)).map(({ status }) => status);
      accepted += statuses.filter((status) => status === 202).length;
      return statuses;
    },
    async isStored(charge: number): Promise<boolean> {
      const subject = { family: 'charge', id: String(charge) };
      return (await store.events({ subject }, { order: 'oldest', limit: 1 })).length > 0;
    },
    /** Checks that exactly the accepted webhooks are stored and that the process is well, and prints the figures. */
    async close(what: string, cases: number): Promise<void> {
      const { events } = await statisticsOf(running);
      printFigures(`hostile requests, ${what}`, { cases, accepted, smuggled: events - accepted });
      expect(events).toBe(accepted);
      expectNoErrors(running);
      expect((await running.post(JSON.parse(chargeBody(2 * SECOND, 1)))).status).toBe(202);
    },
  };
}

/** Sends shapes that each hold one request with another behind it, and returns what became of both. */
async function sendShapes(what: string, shapes: readonly RequestShape[]) {
  const { send, isStored, close } = await start();
  const heard: (readonly number[])[] = [];
  for (const [id, { bytes }] of shapes.entries())
    heard.push(await send(bytes(chargeBody(id, 1), post(chargeBody(SECOND + id, 1)))));
  await close(what, shapes.length);
  return Promise.all(
    shapes.map(async ({ name }, id) => ({
      shape: name,
      statuses: heard[id] ?? [],
      stored: [await isStored(id), await isStored(SECOND + id)],
    })),
  );
}

test('an ambiguous request is rejected, and nothing behind it is processed', async () => {
  for (const { shape, statuses, stored } of await sendShapes('ambiguous', [
    ...ambiguousShapes,
    ...foreignShapes,
  ])) {
    // CONNECT gets no response at all.
    expect([[], [400]], shape).toContainEqual(statuses);
    expect(stored, shape).toEqual([false, false]);
  }
});

test('an unusual but unambiguous request is accepted, and so is the one behind it', async () => {
  expect(await sendShapes('unusual', clearShapes)).toEqual(
    clearShapes.map(({ name }) => ({ shape: name, statuses: [202, 202], stored: [true, true] })),
  );
});

test('gives unusual targets, hosts, methods and headers the documented status', async () => {
  const { send, close } = await start();

  const heard: unknown[] = [];
  for (const [id, { name, line, headers }] of targetShapes.entries()) {
    const body = chargeBody(id, 1);
    const head = [line, ...headers, `Content-Length: ${String(body.length)}`].join('\r\n');
    const [status, ...behind] = await send(`${head}\r\n\r\n${body}${post(chargeBody(SECOND + id, 1))}`);
    // The request behind is accepted, unless the connection was closed.
    expect([[], [202]], name).toContainEqual(behind);
    heard.push([name, status]);
  }

  expect(heard).toEqual(targetShapes.map(({ name, status }) => [name, status]));
  await close('targets', targetShapes.length);
});

test('a request inside the body of a rejected request is never processed', async () => {
  const { send, close } = await start({
    PORTARIA_SOURCES: '{"closed":{"verify":"token","secrets":["a-token-of-some-length"]}}',
  });

  const heard: unknown[] = [];
  for (const [id, { name, head, times }] of hidingPlaces.entries()) {
    const hidden = post(chargeBody(SECOND + id, 1)).repeat(times);
    for (const framed of [
      `Content-Length: ${String(hidden.length)}\r\n\r\n${hidden}`,
      `Transfer-Encoding: chunked\r\n\r\n${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
    ])
      heard.push([name, ...(await send(`${head}\r\n${framed}`))]);
  }

  expect(heard).toEqual(
    hidingPlaces.flatMap(({ name, status }) => [
      [name, status],
      [name, status],
    ]),
  );
  await close('hidden', heard.length);
});
