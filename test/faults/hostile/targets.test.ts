/** Odd targets, hosts, methods and headers, requests within requests, and thousands at once: each is answered once, and stored as often as it is answered 202. */
import { expect, test } from 'vitest';
import { serve } from '../../support/running-portaria.ts';
import { workshop } from '../../support/workshop.ts';
import { exchange } from '../kit/exchange.ts';
import { printFigures } from '../kit/figures.ts';
import { readBeside } from '../kit/kept.ts';
import { draws, seedOfRun } from '../kit/seed.ts';
import { statisticsOf } from '../kit/statistics.ts';
import { expectNoTrouble } from '../kit/target.ts';
import { chargeBody } from '../kit/webhooks.ts';
import { slipped } from './corpus/request-slips.ts';
import { clearShapes } from './corpus/request-shapes.ts';
import { hidingPlaces, targetShapes } from './corpus/target-shapes.ts';

/** Subjects of requests that are hidden in others or come behind them; those of the others count from 0. */
const SECOND = 1_000_000;

function post(body: string): string {
  return `POST /webhooks HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`;
}

/** A running Portaria that counts what it has answered. */
async function start(env: Readonly<Record<string, string>> = {}) {
  const { database } = workshop();
  const running = await serve({ PORTARIA_DATABASE: database, PORTARIA_BODY_TIMEOUT_MS: '2000', ...env });
  let answers = 0;
  let accepted = 0;
  return {
    store: await readBeside(database),
    async say(text: string): Promise<readonly number[]> {
      const statuses = (await exchange(running.url, text)).map(({ status }) => status);
      answers += statuses.length;
      accepted += statuses.filter((status) => status === 202).length;
      return statuses;
    },
    /** What was stored is what was answered 202, no more and no less. Prints the figures. */
    async close(what: string, figures: Readonly<Record<string, number>>): Promise<void> {
      const { events } = await statisticsOf(running);
      const smuggled = events - accepted;
      printFigures(what, { ...figures, answers, taken: accepted, refused: answers - accepted, smuggled });
      expect(events).toBe(accepted);
      expectNoTrouble(running);
      expect((await running.post(JSON.parse(chargeBody(2 * SECOND, 1)))).status).toBe(202);
    },
  };
}

test('odd targets, hosts, methods and headers', async () => {
  const { say, close } = await start();

  const heard: unknown[] = [];
  for (const [id, { name, line, headers }] of targetShapes.entries()) {
    const body = chargeBody(id, 1);
    const head = [line, ...headers, `Content-Length: ${String(body.length)}`].join('\r\n');
    const [status, ...behind] = await say(`${head}\r\n\r\n${body}${post(chargeBody(SECOND + id, 1))}`);
    // What comes behind is taken, unless nothing of the connection is believed any more.
    expect([[], [202]], name).toContainEqual(behind);
    heard.push([name, status]);
  }

  expect(heard).toEqual(targetShapes.map(({ name, status }) => [name, status]));
  await close('hostile requests, targets', { cases: targetShapes.length });
});

test('a request in the body of one that is refused is never one', async () => {
  const { say, close } = await start({
    PORTARIA_SOURCES: '{"closed":{"verify":"token","secrets":["a-token-of-some-length"]}}',
  });

  const heard: unknown[] = [];
  for (const [id, { name, head, times }] of hidingPlaces.entries()) {
    const hidden = post(chargeBody(SECOND + id, 1)).repeat(times);
    for (const [framing, framed] of [
      [`Content-Length: ${String(hidden.length)}`, hidden],
      ['Transfer-Encoding: chunked', `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`],
    ] as const) {
      const statuses = await say(`${head}\r\n${framing}\r\n\r\n${framed}`);
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

test('requests with a slip of a byte or two in their heads are answered once, and never taken for more', async () => {
  const seed = seedOfRun();
  const { store, say, close } = await start();
  const { between } = draws(seed);
  const sent = new Set<string>();

  for (let turn = 0; turn < 1_200; turn += 1) {
    const shape = clearShapes[turn % clearShapes.length];
    const [body, next] = [chargeBody(turn, 1), chargeBody(SECOND + turn, 1)];
    sent.add(body).add(next);
    const bytes = slipped(shape?.bytes(body, post(next)) ?? '', between);
    const statuses = await say(bytes);
    expect(statuses.length, JSON.stringify(bytes)).toBeLessThanOrEqual(2);
  }

  // None was put together from parts of two.
  for (const { id } of await store.events({}, { order: 'oldest', limit: 100_000 }))
    expect(sent).toContain(
      Buffer.from((await store.event(id))?.body ?? [])
        .toString()
        .trim(),
    );
  await close('hostile requests, slips', { cases: sent.size / 2, seed });
});

test('10,000 webhooks in one write are all answered, in order, and each is stored', async () => {
  const { database } = workshop();
  const running = await serve({ PORTARIA_DATABASE: database });
  const store = await readBeside(database);
  const bodies = Array.from({ length: 10_000 }, (_, id) => chargeBody(id, 1));

  const heard = await exchange(running.url, bodies.map((body) => post(body)).join(''));

  const ids = heard.map(({ status, body }) =>
    status === 202 ? (JSON.parse(body) as { id: string }).id : '',
  );
  // To look at each takes longer than all the rest.
  for (let at = 0; at < ids.length; at += 50)
    expect(Buffer.from((await store.event(ids[at] ?? ''))?.body ?? []).toString()).toBe(bodies[at]);
  const { events } = await statisticsOf(running);
  printFigures('hostile requests, pipelined', { cases: bodies.length, answers: ids.length, events });
  expect({ answers: new Set(ids).size, events }).toEqual({ answers: 10_000, events: 10_000 });
  expectNoTrouble(running);
});
