/** Message ids that anybody can choose, under each scheme: only those that are signed, or trusted by a setting, decide anything. */
import { Agent, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../support/running-portaria.ts';
import { workshop } from '../../support/workshop.ts';
import { exchange } from '../kit/exchange.ts';
import { printFigures } from '../kit/figures.ts';
import { readBeside } from '../kit/kept.ts';
import { draws, seedOfRun } from '../kit/seed.ts';
import { proof, schemes, SECRET } from '../kit/signed.ts';
import { statisticsOf } from '../kit/statistics.ts';
import { expectNoTrouble } from '../kit/target.ts';
import { chargeBody } from '../kit/webhooks.ts';
import { drawnArrivals, verdictsOf, type Arrival, type Verdict } from './corpus/arrivals.ts';

/** The id's header where `standard` does not sign it. */
const UNSIGNED = 'x-delivery';

/** Of each scheme a source whose ids nobody vouches for, one of the same kind that gets none, and one whose ids count. */
const sources = Object.fromEntries(
  schemes.flatMap((verify) => {
    const source = { verify, ...(verify === 'none' ? {} : { secrets: [SECRET] }) };
    const unsigned = { ...source, ...(verify === 'standard' ? { messageIdHeader: UNSIGNED } : {}) };
    return [
      [`${verify}-doubted`, unsigned],
      [`${verify}-bare`, unsigned],
      [`${verify}-trusted`, { ...source, trustMessageId: verify !== 'standard' }],
    ];
  }),
);

async function start() {
  const { database } = workshop();
  const running = await serve({ PORTARIA_DATABASE: database, PORTARIA_SOURCES: JSON.stringify(sources) });
  return { running, store: await readBeside(database) };
}

interface Told {
  readonly status: string;
  readonly id: string;
  readonly flags?: readonly string[];
}

/** Sends them one after the other; events are numbered in the order in which they were first told of. */
async function verdicts(
  url: string,
  arrivals: readonly Arrival[],
  headersOf: (arrival: Arrival, turn: number) => Readonly<Record<string, string>>,
): Promise<readonly Verdict[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => {
    agent.destroy();
  });
  const seen = new Map<string, number>();
  const answers: Verdict[] = [];
  for (const [turn, arrival] of arrivals.entries()) {
    const { status, id, flags = [] } = await post(url, arrival.body, headersOf(arrival, turn), agent);
    if (!seen.has(id)) seen.set(id, seen.size);
    answers.push({
      status,
      flags: flags.filter((flag) => flag !== 'unrecognized'),
      event: seen.get(id) ?? -1,
    });
  }
  return answers;
}

function post(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  agent: Agent,
): Promise<Told> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('end', () => {
        resolve(JSON.parse(text) as Told);
      });
    });
    sending.once('error', reject).end(body);
  });
}

test('ids that no signature covers change no verdict, and those that count do as the rules say', async () => {
  const seed = seedOfRun();
  const { running, store } = await start();
  const at = (source: string): string => `${running.url}/${source}`;
  const arrivals = drawnArrivals(draws(seed), 120);
  let decided = 0;

  await Promise.all(
    schemes.map(async (scheme) => {
      const idHeader = scheme === 'standard' ? UNSIGNED : 'webhook-id';
      const bare = ({ body }: Arrival, turn: number) => proof(scheme, body, `m${String(turn)}`);
      const doubted = await verdicts(at(`${scheme}-doubted`), arrivals, (arrival, turn) => ({
        ...bare(arrival, turn),
        ...(arrival.id === undefined ? {} : { [idHeader]: arrival.id }),
      }));
      const without = arrivals.map((arrival) => ({ ...arrival, id: undefined }));
      expect(doubted).toEqual(await verdicts(at(`${scheme}-bare`), without, bare));
      expect(doubted).toEqual(verdictsOf(without));

      // What is signed has an id.
      const signed = arrivals.map((arrival, turn) => ({ ...arrival, id: arrival.id ?? `m${String(turn)}` }));
      const given = scheme === 'standard' ? signed : arrivals;
      const trusted = await verdicts(at(`${scheme}-trusted`), given, ({ body, id }) => ({
        ...proof(scheme, body, id),
        ...(id === undefined ? {} : { 'webhook-id': id }),
      }));
      expect(trusted).toEqual(verdictsOf(given));
      decided += trusted.filter((verdict, turn) => verdict.status !== doubted[turn]?.status).length;
    }),
  );

  const held = await store.quarantined({ reason: 'conflict' }, { order: 'oldest', limit: 1_000 });
  printFigures('hostile ids', {
    cases: 12 * arrivals.length,
    decidedByIds: decided,
    conflicts: held.length,
    seed,
  });
  // A trusted id that comes with another content loses nothing; one that is not trusted is in nobody's way.
  expect(held.length).toBeGreaterThan(0);
  expect(new Set(held.map(({ source }) => source))).toEqual(
    new Set(schemes.map((scheme) => `${scheme}-trusted`)),
  );
  expect(decided).toBeGreaterThan(0);
  expectNoTrouble(running);
});

/** The same header more than once, in each order, with another between; the one that fits is the sender's own. */
function doubled(name: string, right: string): readonly (readonly string[])[] {
  const odd = name.toUpperCase();
  return ['wrong', '', right, 'v1,AAAA', `${right}, ${right}`].flatMap((wrong) => [
    [`${name}: ${right}`, `${name}: ${wrong}`],
    [`${name}: ${wrong}`, `${odd}: ${right}`],
    [`${odd}: ${right}`, 'X-Between: a', `${name}: ${wrong}`],
    [`${name}: ${right}`, `${name}: ${wrong}`, `${name}: ${right}`],
  ]);
}

test('a header that decides is sent once, or nothing is taken', async () => {
  const { running, store } = await start();
  const counts = { cases: 0, taken: 0, refused: 0 };
  const wrong: unknown[] = [];

  for (const scheme of schemes)
    for (const name of [
      'webhook-id',
      ...Object.keys(proof(scheme, '')).filter((name) => name !== 'webhook-id'),
    ]) {
      const body = chargeBody(counts.cases, 1);
      const own = { 'webhook-id': 'msg_1', ...proof(scheme, body, 'msg_1') };
      for (const headers of doubled(name, own[name as 'webhook-id'])) {
        counts.cases += 1;
        const others = Object.entries(own).filter(([other]) => other !== name);
        const lines = [
          'Host: localhost',
          `Content-Length: ${String(body.length)}`,
          ...others.map((one) => one.join(': ')),
        ];
        const head = `POST /webhooks/${scheme}-trusted HTTP/1.1\r\n${[...lines, ...headers].join('\r\n')}`;
        const [answer] = await exchange(running.url, `${head}\r\n\r\n${body}`);
        const status = answer?.status ?? 0;
        counts[status < 300 ? 'taken' : 'refused'] += 1;
        // Without a scheme nothing decides, and an id that comes twice is none.
        if (scheme === 'none' ? status >= 300 : status !== 401) wrong.push([scheme, headers, status]);
      }
    }

  const events = await store.events({}, { order: 'oldest', limit: 1_000 });
  printFigures('hostile ids, doubled', counts);
  expect(wrong).toEqual([]);
  expect(events.map(({ source, messageId }) => [source, messageId])).toEqual([['none-trusted', null]]);
  expectNoTrouble(running);
});

test('what can be no id is none, and what can be one is kept as it is', async () => {
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
  expectNoTrouble(running);
});
