/** Given requests that web pages make a browser send to both ports: none from another origin is carried out. */
import { Agent, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../support/running-portaria.ts';
import { createWorkspace } from '../../support/workspace.ts';
import { printFigures } from '../kit/figures.ts';
import { openBeside } from '../kit/check-stored.ts';
import { expectNoErrors } from '../kit/programs/target.ts';
import { chargeBody } from '../kit/senders/webhooks.ts';
import { browserCases, contentTypes, type BrowserCase } from './corpus/browsers.ts';

type Headers = Readonly<Record<string, string>>;
const CONCURRENCY = 16;

/** A request that a page sends, and its status if the page is allowed. */
interface PageRequest {
  readonly name: string;
  readonly port: 'public' | 'private';
  readonly method: string;
  readonly path: string;
  readonly body?: (number: number) => string;
  readonly allowedStatus: (type: string) => number;
}

const pageRequests: readonly PageRequest[] = [
  {
    name: 'a webhook',
    port: 'public',
    method: 'POST',
    path: '/webhooks',
    body: (number) => chargeBody(number, 1),
    allowedStatus: () => 202,
  },
  {
    name: 'a webhook through the app',
    port: 'public',
    method: 'POST',
    path: '/webhooks?a',
    body: (number) => chargeBody(1_000_000 + number, 1),
    allowedStatus: () => 202,
  },
  { name: 'a view', port: 'private', method: 'GET', path: '/api/stats', allowedStatus: () => 200 },
  {
    name: 'a change',
    port: 'private',
    method: 'POST',
    path: '/api/quarantine/release',
    body: () => '{}',
    allowedStatus: (type) => (type.startsWith('application/json') ? 200 : 415),
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

test.each(Object.entries(settings))(
  'rejects pages of other origins and names, %s',
  async (name, [env, secrets]) => {
    const { database } = createWorkspace();
    const running = await serve({ PORTARIA_DATABASE: database, ...env });
    const store = await openBeside(database);
    const ports = { public: new URL(running.url).port, private: new URL(running.operators).port };
    const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
    onTestFinished(() => {
      agent.destroy();
    });
    const counts = { cases: 0, rejected: 0, accepted: 0 };
    const wrong: unknown[] = [];

    async function check(way: PageRequest, page: BrowserCase, number: number): Promise<void> {
      const type = contentTypes[number % contentTypes.length] ?? '';
      const { host, origin, site } = page;
      const headers = {
        ...secrets,
        host,
        ...(origin === undefined ? {} : { origin }),
        ...(site === undefined ? {} : { 'sec-fetch-site': site }),
        ...(type === '' ? {} : { 'content-type': type }),
      };
      // With secrets configured, any host name is allowed: a proxy may use its own.
      const isRejected = page.isForeign || (name === 'by default' && !page.isOwnName);
      const expected = isRejected ? 403 : way.allowedStatus(type);
      const response = await send(ports[way.port], way, headers, way.body?.(number));
      counts.cases += 1;
      counts[isRejected ? 'rejected' : 'accepted'] += 1;
      if (response.status !== expected || response.allows.length > 0)
        wrong.push([way.name, headers, response, 'instead of', expected]);
    }

    function send(port: string, { method, path }: PageRequest, headers: Headers, body = '') {
      return new Promise<{ status: number; allows: readonly string[] }>((resolve, reject) => {
        const options = { port, method, path, agent, headers: { ...headers, 'content-length': body.length } };
        const sending = request(options, (response) => {
          const allows = Object.keys(response.headers).filter((one) => one.startsWith('access-control-'));
          response.resume().once('end', () => {
            resolve({ status: response.statusCode ?? 0, allows });
          });
        });
        sending.once('error', reject).end(body);
      });
    }

    for (const way of pageRequests) {
      const pages = [...browserCases(ports[way.port])];
      for (let from = 0; from < pages.length; from += CONCURRENCY)
        await Promise.all(
          pages.slice(from, from + CONCURRENCY).map((page, at) => check(way, page, from + at)),
        );
    }

    const { length: events } = await store.events({}, { order: 'oldest', limit: 100_000 });
    printFigures(`hostile browsers, ${name}`, { ...counts, events });
    expect(wrong).toEqual([]);
    // Rejected requests stored nothing.
    const perWay = [...browserCases('1')].filter(
      ({ isForeign, isOwnName }) => !isForeign && (isOwnName || name !== 'by default'),
    );
    expect(events).toBe(2 * perWay.length);
    expectNoErrors(running);
  },
);

test('a preflight request is never granted', async () => {
  const running = await serve({ PORTARIA_DATABASE: createWorkspace().database });
  const wrong: unknown[] = [];
  let cases = 0;
  for (const url of [
    running.url,
    `${running.operators}api/quarantine/release`,
    `${running.operators}metrics`,
  ])
    for (const origin of ['https://evil.example', 'null', new URL(url).origin]) {
      const response = await fetch(url, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type,authorization',
          'access-control-request-private-network': 'true',
        },
      });
      cases += 1;
      const allows = [...response.headers.keys()].filter((name) => name.startsWith('access-control-'));
      if (response.ok || response.status >= 500 || allows.length > 0)
        wrong.push([url, origin, response.status, allows]);
    }
  printFigures('hostile browsers, preflights', { cases, granted: wrong.length });
  expect(wrong).toEqual([]);
  expectNoErrors(running);
});
