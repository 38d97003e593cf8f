/** Given unusual targets, hosts, methods and headers, nested requests, and thousands at once: each gets one response, and every 202 is stored once. */
import { expect, test } from 'vitest';
import { serve } from '../../support/running-portaria.ts';
import { createWorkspace } from '../../support/workspace.ts';
import { exchange } from '../kit/senders/exchange.ts';
import { printFigures } from '../kit/figures.ts';
import { openBeside } from '../kit/check-stored.ts';
import { draws, seedOfRun } from '../kit/seed.ts';
import { statisticsOf } from '../kit/statistics.ts';
import { expectNoErrors } from '../kit/programs/target.ts';
import { chargeBody } from '../kit/senders/webhooks.ts';
import { slipped } from './corpus/request-slips.ts';
import { clearShapes } from './corpus/request-shapes.ts';
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
  let responses = 0;
  let accepted = 0;
  return {
    store: await openBeside(database),
    async send(text: string): Promise<readonly number[]> {
      const statuses = (await exchange(running.url, text)).map(({ status }) => status);
      responses += statuses.length;
      accepted += statuses.filter((status) => status === 202).length;
      return statuses;
    },
    /** Checks that exactly the accepted webhooks are stored, and prints the figures. */
    async close(what: string, figures: Readonly<Record<string, number>>): Promise<void> {
      const { events } = await statisticsOf(running);
      const smuggled = events - accepted;
      printFigures(what, { ...figures, responses, accepted, rejected: responses - accepted, smuggled });
      expect(events).toBe(accepted);
      expectNoErrors(running);
      expect((await running.post(JSON.parse(chargeBody(2 * SECOND, 1)))).status).toBe(202);
    },
  };
}

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
  await close('hostile requests, targets', { cases: targetShapes.length });
});

test('a request inside the body of a rejected request is never processed', async () => {
  const { send, close } = await start({
    PORTARIA_SOURCES: '{"closed":{"verify":"token","secrets":["a-token-of-some-length"]}}',
  });

  const heard: unknown[] = [];
  for (const [id, { name, head, times }] of hidingPlaces.entries()) {
    const hidden = post(chargeBody(SECOND + id, 1)).repeat(times);
    for (const [framing, framed] of [
      [`Content-Length: ${String(hidden.length)}`, hidden],
      ['Transfer-Encoding: chunked', `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`],
    ] as const) {
      const statuses = await send(`${head}\r\n${framing}\r\n\r\n${framed}`);
      heard.push([name, ...statuses]);
    }
  }

  expect(heard).toEqual(
    hidingPlaces.flatMap(({ name, status }) => [
      [name, status],
      [name, status],
    ]),
  );
  await close('hostile requests, hidden', { cases: heard.length });
});

test('requests with one or two mutations in their heads get at most one response each', async () => {
  const seed = seedOfRun();
  const { store, send, close } = await start();
  const { between } = draws(seed);
  const sent = new Set<string>();

  for (let number = 0; number < 800; number += 1) {
    const shape = clearShapes[number % clearShapes.length];
    const [body, next] = [chargeBody(number, 1), chargeBody(SECOND + number, 1)];
    sent.add(body).add(next);
    const bytes = slipped(shape?.bytes(body, post(next)) ?? '', between);
    const statuses = await send(bytes);
    expect(statuses.length, JSON.stringify(bytes)).toBeLessThanOrEqual(2);
  }

  // No stored body is made of parts of two requests.
  for (const { id } of await store.events({}, { order: 'oldest', limit: 100_000 }))
    expect(sent).toContain(
      Buffer.from((await store.event(id))?.body ?? [])
        .toString()
        .trim(),
    );
  await close('hostile requests, slips', { cases: sent.size / 2, seed });
});

test('10,000 webhooks in one write all get a response, in order, and each is stored', async () => {
  const { database } = createWorkspace();
  const running = await serve({ PORTARIA_DATABASE: database });
  const store = await openBeside(database);
  const bodies = Array.from({ length: 10_000 }, (_, id) => chargeBody(id, 1));

  const heard = await exchange(running.url, bodies.map((body) => post(body)).join(''));

  const ids = heard.map(({ status, body }) =>
    status === 202 ? (JSON.parse(body) as { id: string }).id : '',
  );
  // Every 50th is checked: checking each would take longer than the rest of the test.
  for (let at = 0; at < ids.length; at += 50)
    expect(Buffer.from((await store.event(ids[at] ?? ''))?.body ?? []).toString()).toBe(bodies[at]);
  const { events } = await statisticsOf(running);
  printFigures('hostile requests, pipelined', { cases: bodies.length, answers: ids.length, events });
  expect({ answers: new Set(ids).size, events }).toEqual({ answers: 10_000, events: 10_000 });
  expectNoErrors(running);
});
