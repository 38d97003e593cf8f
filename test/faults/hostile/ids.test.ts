/** Given message ids that anyone can choose, under each scheme: only signed or trusted ids detect duplicates. */
import { Agent, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../support/running-portaria.ts';
import { createWorkspace } from '../../support/workspace.ts';
import { exchange } from '../kit/senders/exchange.ts';
import { printFigures } from '../kit/figures.ts';
import { openBeside } from '../kit/check-stored.ts';
import { draws, seedOfRun } from '../kit/seed.ts';
import { signatureHeaders, schemes, SECRET } from '../../support/signing.ts';
import { statisticsOf } from '../kit/statistics.ts';
import { expectNoErrors } from '../kit/programs/target.ts';
import { chargeBody } from '../kit/senders/webhooks.ts';
import { drawnArrivals, verdictsOf, type Arrival, type Verdict } from './corpus/arrivals.ts';

/** A message id header that scheme `standard` does not sign. */
const UNSIGNED = 'x-delivery';

/** For each scheme: a source with untrusted ids, one that gets no ids, and one with trusted ids. */
const sources = Object.fromEntries(
  schemes.flatMap((verify) => {
    const source = { verify, ...(verify === 'none' ? {} : { secrets: [SECRET] }) };
    const unsigned = { ...source, ...(verify === 'standard' ? { messageIdHeader: UNSIGNED } : {}) };
    return [
      [`${verify}-untrusted`, unsigned],
      [`${verify}-bare`, unsigned],
      [`${verify}-trusted`, { ...source, trustMessageId: verify !== 'standard' }],
    ];
  }),
);

async function start() {
  const { database } = createWorkspace();
  const running = await serve({ PORTARIA_DATABASE: database, PORTARIA_SOURCES: JSON.stringify(sources) });
  return { running, store: await openBeside(database) };
}

interface Receipt {
  readonly status: string;
  readonly id: string;
  readonly flags?: readonly string[];
}

/** Sends arrivals one after the other. Events are numbered in the order of their first response. */
async function verdicts(
  url: string,
  arrivals: readonly Arrival[],
  headersOf: (arrival: Arrival, number: number) => Readonly<Record<string, string>>,
): Promise<readonly Verdict[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => {
    agent.destroy();
  });
  const seen = new Map<string, number>();
  const received: Verdict[] = [];
  for (const [number, arrival] of arrivals.entries()) {
    const { status, id, flags = [] } = await post(url, arrival.body, headersOf(arrival, number), agent);
    if (!seen.has(id)) seen.set(id, seen.size);
    received.push({
      status,
      flags: flags.filter((flag) => flag !== 'unrecognized'),
      event: seen.get(id) ?? -1,
    });
  }
  return received;
}

function post(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  agent: Agent,
): Promise<Receipt> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('end', () => {
        resolve(JSON.parse(text) as Receipt);
      });
    });
    sending.once('error', reject).end(body);
  });
}

test('untrusted ids change no verdict, and trusted ids change it as documented', async () => {
  const seed = seedOfRun();
  const { running, store } = await start();
  const at = (source: string): string => `${running.url}/${source}`;
  const arrivals = drawnArrivals(draws(seed), 120);
  let decided = 0;

  await Promise.all(
    schemes.map(async (scheme) => {
      const idHeader = scheme === 'standard' ? UNSIGNED : 'webhook-id';
      const bare = ({ body }: Arrival, number: number) =>
        signatureHeaders(scheme, body, `m${String(number)}`);
      const untrusted = await verdicts(at(`${scheme}-untrusted`), arrivals, (arrival, number) => ({
        ...bare(arrival, number),
        ...(arrival.id === undefined ? {} : { [idHeader]: arrival.id }),
      }));
      const without = arrivals.map((arrival) => ({ ...arrival, id: undefined }));
      expect(untrusted).toEqual(await verdicts(at(`${scheme}-bare`), without, bare));
      expect(untrusted).toEqual(verdictsOf(without));

      // A signed webhook always has an id.
      const signed = arrivals.map((arrival, number) => ({
        ...arrival,
        id: arrival.id ?? `m${String(number)}`,
      }));
      const given = scheme === 'standard' ? signed : arrivals;
      const trusted = await verdicts(at(`${scheme}-trusted`), given, ({ body, id }) => ({
        ...signatureHeaders(scheme, body, id),
        ...(id === undefined ? {} : { 'webhook-id': id }),
      }));
      expect(trusted).toEqual(verdictsOf(given));
      decided += trusted.filter((verdict, number) => verdict.status !== untrusted[number]?.status).length;
    }),
  );

  const held = await store.quarantined({ reason: 'conflict' }, { order: 'oldest', limit: 1_000 });
  printFigures('hostile ids', {
    cases: 12 * arrivals.length,
    decidedByIds: decided,
    conflicts: held.length,
    seed,
  });
  // A trusted id with different content is quarantined; an untrusted id causes no conflict.
  expect(held.length).toBeGreaterThan(0);
  expect(new Set(held.map(({ source }) => source))).toEqual(
    new Set(schemes.map((scheme) => `${scheme}-trusted`)),
  );
  expect(decided).toBeGreaterThan(0);
  expectNoErrors(running);
});

/** The same header more than once, in each order and with another header between. One value is valid. */
function doubled(name: string, right: string): readonly (readonly string[])[] {
  const odd = name.toUpperCase();
  return ['wrong', '', right, 'v1,AAAA', `${right}, ${right}`].flatMap((wrong) => [
    [`${name}: ${right}`, `${name}: ${wrong}`],
    [`${name}: ${wrong}`, `${odd}: ${right}`],
    [`${odd}: ${right}`, 'X-Between: a', `${name}: ${wrong}`],
    [`${name}: ${right}`, `${name}: ${wrong}`, `${name}: ${right}`],
  ]);
}

test('a webhook with a repeated security header is rejected', async () => {
  const { running, store } = await start();
  const counts = { cases: 0, accepted: 0, rejected: 0 };
  const wrong: unknown[] = [];

  for (const scheme of schemes)
    for (const name of [
      'webhook-id',
      ...Object.keys(signatureHeaders(scheme, '')).filter((name) => name !== 'webhook-id'),
    ]) {
      const body = chargeBody(counts.cases, 1);
      const own = { 'webhook-id': 'msg_1', ...signatureHeaders(scheme, body, 'msg_1') };
      for (const headers of doubled(name, own[name as 'webhook-id'])) {
        counts.cases += 1;
        const others = Object.entries(own).filter(([other]) => other !== name);
        const lines = [
          'Host: localhost',
          `Content-Length: ${String(body.length)}`,
          ...others.map((one) => one.join(': ')),
        ];
        const head = `POST /webhooks/${scheme}-trusted HTTP/1.1\r\n${[...lines, ...headers].join('\r\n')}`;
        const [response] = await exchange(running.url, `${head}\r\n\r\n${body}`);
        const status = response?.status ?? 0;
        counts[status < 300 ? 'accepted' : 'rejected'] += 1;
        // Scheme none has no security header, and a repeated id counts as no id.
        if (scheme === 'none' ? status >= 300 : status !== 401) wrong.push([scheme, headers, status]);
      }
    }

  const events = await store.events({}, { order: 'oldest', limit: 1_000 });
  printFigures('hostile ids, doubled', counts);
  expect(wrong).toEqual([]);
  expect(events.map(({ source, messageId }) => [source, messageId])).toEqual([['none-trusted', null]]);
  expectNoErrors(running);
});

test('an invalid id counts as no id, and a valid one is stored unchanged', async () => {
  const { running, store } = await start();
  const ids: readonly (readonly [id: string, kept: boolean])[] = [
    ['msg_1', true],
    ['x'.repeat(256), true],
    ['x'.repeat(257), false],
    ['a b', false],
    ['a, b', false],
    ['a,b', true],
    ['', false],
    ['\u0085\u009b31m', false],
    ['\u00e9', false],
    ['a\tb', false],
    [`';DROP/**/TABLE/**/events;--`, true],
    ['../../../../etc/passwd', true],
    ['<script>alert(1)</script>', true],
    ['%00%0a%s%n', true],
    ['__proto__', true],
    ['${jndi:ldap://127.0.0.1/a}', true],
  ];

  for (const [at, [id]] of ids.entries()) {
    const body = chargeBody(at, 1);
    const head = `POST /webhooks/none-trusted HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${String(body.length)}\r\nWebhook-Id: ${id}`;
    expect((await exchange(running.url, `${head}\r\n\r\n${body}`)).map(({ status }) => status)).toEqual([
      202,
    ]);
  }

  const events = await store.events({}, { order: 'oldest', limit: 1_000 });
  expect(events.map(({ messageId }) => messageId)).toEqual(ids.map(([id, kept]) => (kept ? id : null)));
  expect((await statisticsOf(running)).events).toBe(ids.length);
  printFigures('hostile ids, shapes', { cases: ids.length, kept: ids.filter(([, kept]) => kept).length });
  expectNoErrors(running);
});
