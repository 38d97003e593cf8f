/** Requests that a page anywhere has a browser make to this machine, on both ports: none of another origin is carried out. */
import { Agent, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../support/running-portaria.ts';
import { workshop } from '../../support/workshop.ts';
import { printFigures } from '../kit/figures.ts';
import { readBeside } from '../kit/kept.ts';
import { expectNoTrouble } from '../kit/target.ts';
import { chargeBody } from '../kit/webhooks.ts';
import { browserCases, contentTypes, type BrowserCase } from './corpus/browsers.ts';

type Headers = Readonly<Record<string, string>>;
const AT_A_TIME = 16;

/** How a page asks, and what it is answered unless it is refused for what it is. */
interface Way {
  readonly name: string;
  readonly port: 'public' | 'private';
  readonly method: string;
  readonly path: string;
  readonly body?: (turn: number) => string;
  readonly otherwise: (type: string) => number;
}

const ways: readonly Way[] = [
  {
    name: 'a webhook',
    port: 'public',
    method: 'POST',
    path: '/webhooks',
    body: (turn) => chargeBody(turn, 1),
    otherwise: () => 202,
  },
  {
    name: 'a webhook by way of the app',
    port: 'public',
    method: 'POST',
    path: '/webhooks?a',
    body: (turn) => chargeBody(1_000_000 + turn, 1),
    otherwise: () => 202,
  },
  { name: 'a view', port: 'private', method: 'GET', path: '/api/stats', otherwise: () => 200 },
  {
    name: 'a change',
    port: 'private',
    method: 'POST',
    path: '/api/quarantine/release',
    body: () => '{}',
    otherwise: (type) => (type.startsWith('application/json') ? 200 : 415),
  },
];

const settings = {
  'by default': [{}, {}],
  'given secrets': [
    {
      PORTARIA_VERIFY: 'token',
      PORTARIA_SECRETS: 'a-token-of-some-length',
      PORTARIA_OPS_TOKEN: 'another-token-of-some-length',
    },
    {
      'x-webhook-token': 'a-token-of-some-length',
      authorization: 'Bearer another-token-of-some-length',
    },
  ],
} as const satisfies Readonly<Record<string, readonly [Headers, Headers]>>;

test.each(Object.entries(settings))('pages of any origin, by any name, %s', async (name, [env, secrets]) => {
  const { database } = workshop();
  const running = await serve({ PORTARIA_DATABASE: database, ...env });
  const store = await readBeside(database);
  const ports = { public: new URL(running.url).port, private: new URL(running.operators).port };
  const agent = new Agent({ keepAlive: true, maxSockets: AT_A_TIME });
  onTestFinished(() => {
    agent.destroy();
  });
  const counts = { cases: 0, refused: 0, taken: 0 };
  const wrong: unknown[] = [];

  async function ask(way: Way, page: BrowserCase, turn: number): Promise<void> {
    const type = contentTypes[turn % contentTypes.length] ?? '';
    const { host, origin, site } = page;
    const headers = {
      ...secrets,
      host,
      ...(origin === undefined ? {} : { origin }),
      ...(site === undefined ? {} : { 'sec-fetch-site': site }),
      ...(type === '' ? {} : { 'content-type': type }),
    };
    // Who has the secret, or the proxy in front of it, may use any name.
    const isRefused = page.isForeign || (name === 'by default' && !page.isOwnName);
    const expected = isRefused ? 403 : way.otherwise(type);
    const answer = await asked(ports[way.port], way, headers, way.body?.(turn));
    counts.cases += 1;
    counts[isRefused ? 'refused' : 'taken'] += 1;
    if (answer.status !== expected || answer.allows.length > 0)
      wrong.push([way.name, headers, answer, 'instead of', expected]);
  }

  function asked(port: string, { method, path }: Way, headers: Headers, body = '') {
    return new Promise<{ status: number; allows: readonly string[] }>((resolve, reject) => {
      const options = { port, method, path, agent, headers: { ...headers, 'content-length': body.length } };
      const asking = request(options, (response) => {
        const allows = Object.keys(response.headers).filter((one) => one.startsWith('access-control-'));
        response.resume().once('end', () => {
          resolve({ status: response.statusCode ?? 0, allows });
        });
      });
      asking.once('error', reject).end(body);
    });
  }

  for (const way of ways) {
    const pages = [...browserCases(ports[way.port])];
    for (let from = 0; from < pages.length; from += AT_A_TIME)
      await Promise.all(pages.slice(from, from + AT_A_TIME).map((page, at) => ask(way, page, from + at)));
  }

  const { length: events } = await store.events({}, { order: 'oldest', limit: 100_000 });
  printFigures(`hostile browsers, ${name}`, { ...counts, events });
  expect(wrong).toEqual([]);
  // What was refused left nothing behind.
  const perWay = [...browserCases('1')].filter(
    ({ isForeign, isOwnName }) => !isForeign && (isOwnName || name !== 'by default'),
  );
  expect(events).toBe(2 * perWay.length);
  expectNoTrouble(running);
});

test('a page that asks first whether it may is never told that it may', async () => {
  const running = await serve({ PORTARIA_DATABASE: workshop().database });
  const wrong: unknown[] = [];
  let cases = 0;
  for (const url of [
    running.url,
    `${running.operators}api/quarantine/release`,
    `${running.operators}metrics`,
  ])
    for (const origin of ['https://evil.example', 'null', new URL(url).origin]) {
      const answer = await fetch(url, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type,authorization',
          'access-control-request-private-network': 'true',
        },
      });
      cases += 1;
      const allows = [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'));
      if (answer.ok || answer.status >= 500 || allows.length > 0)
        wrong.push([url, origin, answer.status, allows]);
    }
  printFigures('hostile browsers, preflights', { cases, granted: wrong.length });
  expect(wrong).toEqual([]);
  expectNoTrouble(running);
});
