import { spawn } from 'node:child_process';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHmac } from 'node:crypto';
import { specification } from '../../src/contract/specification.ts';
import { curlCommand, type WebhookAddress } from '../../src/operate/show/curl-command.ts';
import { sampleData } from '../../src/testing/sample-data.ts';
import { visitConsole, webhook, type Visit } from './kit/console-browser.ts';
import { textOf } from '../support/page-text.ts';

let visit: Visit;

beforeEach(async () => {
  visit = await visitConsole();
});

afterEach(() => visit.close());

/** Receives bodies, and returns the path of the last event. */
async function received(...bodies: readonly (object | string)[]): Promise<string> {
  for (const body of bodies) await visit.setup.receive(body);
  const [event] = await visit.setup.store.events({}, { order: 'newest', limit: 1 });
  return `/events/${event?.id ?? ''}`;
}

const odd = (data: string): string => `{"type":"odd.kind","data":${data}}`;

it('with more new values than are read counts none, and names kinds and handlers together', async () => {
  for (let id = 1; id <= 101; id += 1)
    await visit.setup.receive(
      webhook(id % 2 ? 'charge.updated' : 'charge.created', { id, status: 'frozen' }),
    );
  const { html } = await visit.open('/');
  expect(html).toContain('?kind=charge.updated&amp;kind=charge.created&amp;flag=unknown-value"');
  expect(textOf(html)).toMatch(
    /charge\.updated and charge\.created: data\.status has a new value, frozen, in at least \d+ events\. [^.]*\bbilling\b[^.]* these events\./u,
  );
});

it('with a new value of the contract names it, and so does the overview, with what to check', async () => {
  const { company } = sampleData('charge.updated');
  const charge = (id: number, status: string) =>
    webhook('charge.updated', { id, status, company: { ...company, id: 12 } });
  const path = await received(charge(1, 'paid'), charge(2, 'frozen'), charge(3, 'frozen'));
  expect((await visit.open(path)).html).toMatch(
    /Not in the contract<\/dt><dd><a [^>]*href="\/events\?kind=charge.updated&amp;flag=unknown-value">data.status: frozen/u,
  );
  const overview = (await visit.open('/')).html;
  expect(textOf(overview)).toMatch(
    /charge\.updated: data\.status has a new value, frozen, in 2 events, the first now\. \S+.* these events\./u,
  );
  expect(overview).toContain('href="/events?kind=charge.updated&amp;flag=unknown-value"');
  expect(textOf(overview)).toContain('All of them are of company 12.');
  const reads = vi.spyOn(visit.setup.store, 'event');
  await visit.open('/');
  expect(reads, 'a page that refreshes itself').not.toHaveBeenCalled();
  const list = await visit.open('/events?flag=unknown-value', { 'accept-language': 'pt-BR' });
  expect(textOf(list.html)).toContain('valor novo');
  await received(webhook('charge.updated', { id: 4, status: 'frozen', company: { ...company, id: 13 } }));
  expect(textOf((await visit.open('/')).html)).not.toContain('of company 12');
  visit.setup.clock.advance(25 * 3_600_000);
  expect(textOf((await visit.open('/')).html)).not.toContain('has a new value');
});

describe('numbers', () => {
  it('are shown as they were sent, in the payload and in what changed', async () => {
    const path = await received(
      odd('{"id":1,"big":12345678901234567890,"amount":1.10,"same":2.0,"list":[1.50]}'),
      odd('{"id":1,"big":12345678901234567891,"amount":1.20,"same":2,"list":[1.50,3]}'),
    );
    const shown = textOf((await visit.open(`${path}?unmask=true`)).html);
    expect(shown).toContain('data.big 12345678901234567890 12345678901234567891');
    expect(shown).toContain('data.amount 1.10 1.20');
    expect(shown).toContain('data.list.1 absent 3');
    expect(shown).not.toContain('data.same');
    expect(shown).toContain('"big" : 12345678901234567891');

    const json = await (await visit.setup.request(`/api${path}?unmask=true`)).text();
    expect(json).toContain('"big":12345678901234567891,"amount":1.20');
    expect(await (await visit.setup.request(`/api${path}`)).text()).toContain('"big":"***"');
  });
});

describe('a large payload', () => {
  const items = JSON.stringify(Array.from({ length: 250 }, (_, index) => ({ index, 'a/b~': [index] })));

  it('is a small page, with links to its parts', async () => {
    const path = await received(
      odd(
        `{"id":1,"items":${items},"text":"${'x'.repeat(70_000)}<b>","deep":${'[1,'.repeat(50)}1${']'.repeat(50)}}`,
      ),
    );
    const { html } = await visit.open(`${path}?unmask=true`);
    expect(html.length).toBeLessThan(120_000);
    const links = [...html.matchAll(/href="([^"]*\/payload\?[^"]*)"/gu)].map(([, href]) =>
      (href ?? '').replaceAll('&amp;', '&'),
    );
    expect(links).toContain(`${path}/payload?at=%2Fitems&from=100&unmask=true`);
    const next = await visit.open(`${path}/payload?at=%2Fitems&from=100&unmask=true`);
    expect(textOf(next.html)).toContain('"index" : 199');
    expect(next.html).toContain('from=200');
    const last = await visit.open(`${path}/payload?at=%2Fitems&from=200&unmask=true`);
    expect(textOf(last.html)).toContain('"index" : 249');
    expect(last.html).not.toContain('rel="next"');
    const part = await visit.open(`${path}/payload?at=%2Fitems%2F7%2Fa~1b~0%2F0&unmask=true`);
    expect(textOf(part.html)).toContain('Back to the event 7');
    const long = await visit.open(`${path}/payload?at=%2Ftext&from=50000&unmask=true`);
    expect(long.html).toContain('x&lt;b&gt;</pre>');
  });

  it('of megabytes is a small page, too, masked or not', async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => `{"n":${String(index)}.10,"s":"a\\"b"}`);
    const path = await received(
      odd(
        `{"id":1,"rows":[${rows.join(',')}],"wide":{${rows.map((row, at) => `"k${String(at)}":${row}`).join(',')}}}`,
      ),
    );
    for (const query of ['', '?unmask=true'])
      expect((await visit.open(`${path}${query}`)).html.length).toBeLessThan(150_000);
  });

  it('stays masked in its parts, and has no others', async () => {
    const path = await received(odd(`{"id":1,"items":${items}}`));
    const { html } = await visit.open(`${path}/payload?at=%2Fitems`);
    expect(html).toContain('***');
    expect(html).not.toContain('unmask=true');
    for (const at of ['items', '/nothing', '/items/-1', '/items/length', '/__proto__', '/id/x'])
      expect((await visit.open(`${path}/payload?at=${encodeURIComponent(at)}`)).status, at).toBe(404);
  });

  it.each([
    ['numbers', 260_000, (at: number) => String(at % 1000)],
    ['objects', 130_000, (at: number) => `{"a":${String(at % 10)}}`],
    ['lists', 346_000, (at: number) => (at % 2 === 0 ? '[]' : '{}')],
  ])('of %s lets other work go on while its page is made', async (_of, size, item) => {
    const list = (by: number): string => Array.from({ length: size }, (_, at) => item(at + by)).join(',');
    const path = await received(
      odd(`{"id":1,"n":1.0,"l":[${list(0)}]}`),
      odd(`{"id":1,"n":2.0,"l":[${list(1)}]}`),
    );
    const page = visit.open(`${path}?unmask=true`);
    let turns = 0;
    let next = setImmediate(function turn() {
      turns += 1;
      next = setImmediate(turn);
    });
    await page;
    clearImmediate(next);
    expect(turns).toBeGreaterThan(4);
    expect(textOf((await page).html)).toContain('10,000+ more fields differ');
  });

  it('whose names are long has no addresses that no browser can open', async () => {
    const rows = Array.from({ length: 90 }, () => `"${'y'.repeat(2_100)}"`).join(',');
    const path = await received(odd(`{"id":1,"${'x'.repeat(200_000)}":[${rows}]}`));
    const { html } = await visit.open(`${path}?unmask=true`);
    expect(html.length).toBeLessThan(500_000);
    const changed = await received(odd(`{"id":1,"${'x'.repeat(200_000)}":[${rows.replaceAll('y', 'z')}]}`));
    expect((await visit.open(`${changed}?unmask=true`)).html.length).toBeLessThan(600_000);
  });

  it('is read once: a page reads its event and the one before, and no others', async () => {
    await visit.close();
    const read: string[] = [];
    visit = await visitConsole({
      wrapStore: (store) => ({
        ...store,
        event: (id) => {
          read.push(id);
          return store.event(id);
        },
        storedEvents: () => Promise.reject(new Error('reads payloads of the timeline')),
      }),
    });
    const path = await received(...[1, 2, 3].map((n) => odd(`{"id":1,"n":${String(n)}}`)));
    const { html } = await visit.open(path);
    expect(textOf(html)).toContain('data.n');
    expect(read).toHaveLength(2);
  });

  it('lists no more than 200 changes', async () => {
    const list = (by: number): string => JSON.stringify(Array.from({ length: 1_000 }, (_, at) => at + by));
    const path = await received(odd(`{"id":1,"l":${list(0)}}`), odd(`{"id":1,"l":${list(1)}}`));
    const { html } = await visit.open(path);
    expect(html.match(/<th scope="row">/gu)).toHaveLength(200);
    expect(textOf(html)).toContain('800 more fields differ');
  });
});

describe('attempts', () => {
  it('with the same error show it once', async () => {
    visit.setup.failing = 'the ledger is closed';
    const path = await received(webhook('charge.updated', { id: 7 }));
    await visit.setup.settle();
    const delivery = /name="delivery" value="(d\d+)"/u.exec((await visit.open(path)).html)?.[1] ?? '';
    await visit.send('/failures/retry', { delivery, event: path.slice('/events/'.length) }, { from: path });
    await visit.setup.settle();
    expect(textOf((await visit.open(path)).html)).toMatch(
      /failed after 0 ms · .* Error: the ledger is closed .* 0 ms · .* same error as attempt 1/u,
    );
  });

  it('are shown with duration and error, over a retry and a success', async () => {
    visit.setup.failing = 'the ledger of 123.456.789-09 is closed';
    const path = await received(webhook('charge.updated', { id: 7 }));
    await visit.setup.settle();
    const { html } = await visit.open(path);
    expect(textOf(html)).toMatch(/billing failed after 0 ms · .* Error: the ledger of .* is closed/u);
    expect(html).not.toContain('123.456.789-09');

    const delivery = /name="delivery" value="(d\d+)"/u.exec(html)?.[1] ?? '';
    visit.setup.failing = false;
    visit.setup.clock.advance(60_000);
    await visit.send('/failures/retry', { delivery, event: path.slice('/events/'.length) }, { from: path });
    await visit.setup.settle();
    const after = textOf((await visit.open(`${path}?unmask=true`)).html);
    expect(after).toMatch(/failed after 0 ms · .* ledger of 123\.456\.789-09 .* succeeded · /u);

    const { body } = await visit.setup.get(`/api/deliveries/${delivery}`);
    expect(body).toMatchObject({
      status: 'succeeded',
      history: [{ attempt: 1, outcome: 'dead', duration_ms: 0, due_at: null }],
    });
  });
});

/** Runs a command in a shell against a server, and returns what that received. */
async function runInShell(
  command: (url: string) => string,
  shell: string,
): Promise<{ readonly body: string; readonly headers: IncomingHttpHeaders }> {
  let request = { body: '', headers: {} as IncomingHttpHeaders };
  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      request = { body, headers: incoming.headers };
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/webhooks`;
  const child = spawn(shell, ['-c', command(url)], {
    env: { PATH: process.env['PATH'], PORTARIA_SECRET: 'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ=' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const errors = text(child.stderr);
  await new Promise((resolve) => child.once('close', resolve));
  server.close();
  if (request.body === '') throw new Error(await errors);
  return request;
}

describe('the command that sends an event again', () => {
  const address =
    (url: string, more: Partial<WebhookAddress> = {}) =>
    (): WebhookAddress => ({
      ...{ url, scheme: 'none', header: null, messageIdHeader: 'webhook-id' },
      ...more,
    });
  const masking = { unmask: true, contract: specification };

  it('is in a field to select, masked until unmasked', async () => {
    const path = await received(webhook('company.created', { id: 12, tax_id: '11222333000181' }));
    const { html } = await visit.open(`${path}/curl`);
    expect(html).toMatch(/<textarea class="command" readonly/u);
    expect(html).not.toContain('11222333000181');
    expect(textOf(html)).toContain('Personal data is masked in this command');
    expect((await visit.open(`${path}/curl?unmask=true`)).html).toContain('11222333000181');
    expect((await visit.open('/events/zzzzzz-1/curl')).status).toBe(404);
  });

  it.each(['sh', 'bash'])('sends any payload byte for byte: %s', async (shell) => {
    const nasty = `it's "q" $HOME \`id\` $(id) \\\\ !! ;|&<>*?[]{}~# %s é 😀 \\u0000`;
    const body = `{ "type":"odd.kind",\n\t"data":{"id":1,"text":"${nasty.replaceAll('"', '\\"')}","n":1.10} }\r\n\n`;
    const path = await received(body);
    const id = path.split('/').at(-1) ?? '';
    const { command } = await curlCommand(visit.setup.store, id, { ...masking, address: address('URL') });
    const sent = await runInShell((url) => (command ?? '').replace("'URL'", url), shell);
    expect(sent.body).toBe(body);
    expect(sent.headers['content-type']).toBe('application/json');
  });

  it('escapes what a terminal without bracketed paste takes for keys', async () => {
    const path = await received(odd('{"id":1,"text":"\u007f\u0080\u009f"}'));
    const id = path.split('/').at(-1) ?? '';
    const { command } = await curlCommand(visit.setup.store, id, {
      ...masking,
      address: address('U\u007fL'),
    });
    expect(command).not.toMatch(/[\u007f-\u009f]/u);
    expect(command).toContain(String.raw`"text":"\u007f\u0080\u009f"`);
  });

  it('signs as the source requires, with the secret of the shell', async () => {
    const path = await received(odd('{"id":1}'));
    const id = path.split('/').at(-1) ?? '';
    const secret = 'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ=';
    const sent = async (more: Partial<WebhookAddress>) => {
      const { command } = await curlCommand(visit.setup.store, id, {
        ...masking,
        address: address('URL', more),
      });
      expect(command).not.toContain(secret);
      return runInShell((url) => (command ?? '').replace("'URL'", url), 'sh');
    };
    expect((await sent({ scheme: 'token', header: 'x-token' })).headers['x-token']).toBe(secret);
    const hmac = await sent({ scheme: 'hmac', header: 'x-signature' });
    expect(hmac.headers['x-signature']).toBe(createHmac('sha256', secret).update(hmac.body).digest('hex'));
    const { headers, body } = await sent({ scheme: 'standard' });
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
    const key = Buffer.from('c2VjcmV0LXNlY3JldC1zZWNyZXQ=', 'base64');
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
    );
  });
});
