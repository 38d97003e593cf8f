import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cliEnvironment, violation } from '../kit/cli-environment.ts';
import { cliWithHandledEvents } from '../kit/recording-handler.ts';

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Starts a server that records requests and responds with the status that `respond` returns. */
async function target(respond: (received: Received, count: number) => number) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = { headers: request.headers, body: Buffer.concat(chunks).toString() };
      received.push(one);
      response.writeHead(respond(one, received.length), { 'retry-after': '0' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hook`, received };
}

/** Given events and a `serve`, which posts them. */
async function servingWith(...bodies: readonly ReturnType<typeof violation>[]) {
  const cli = cliEnvironment();
  await cli.seed(bodies);
  await cli.serve();
  return cli;
}

const violations = (count: number) => Array.from({ length: count }, (_, id) => violation(id));

describe('replay --to <url>', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

  test('posts the stored bytes, in order per subject, with the event’s id, and calls no handler', async () => {
    const cli = await cliWithHandledEvents();
    await cli.serve();
    const { url, received } = await target(() => 204);
    const { code, out, err } = await cli.run('replay', '--yes', '--to', url);
    expect(code).toBe(0);
    expect(err).toContain(`4 events of 2 subjects, posted to ${url}`);
    expect(out).toBe('j1 finished, 4 of 4: 4 succeeded\n');
    expect(cli.again()).toEqual([]);
    const statuses = (id: number) =>
      received
        .map(({ body }) => (JSON.parse(body) as { data: { id: number; status: string } }).data)
        .filter((data) => data.id === id)
        .map(({ status }) => status);
    expect(statuses(1)).toEqual(['a', 'b']);
    expect(statuses(2)).toEqual(['a', 'doomed']);
    expect(received.map(({ headers }) => String(headers['webhook-id'])).toSorted()).toEqual([
      '000000-1',
      '000000-2',
      '000000-3',
      '000000-4',
    ]);
    expect(received[0]?.headers).not.toHaveProperty('webhook-signature');
    expect(received[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'portaria-kind': 'traffic-violation.created',
      'portaria-source': 'default',
      'portaria-replay': 'true',
    });
  });

  test('signs by Standard Webhooks when serve has a forward secret', async () => {
    const cli = await cliWithHandledEvents();
    cli.env['PORTARIA_FORWARD_SECRET'] = secret;
    cli.clock.wall = Date.now();
    await cli.serve();
    const { url, received } = await target(() => 200);
    await cli.run('replay', '--yes', '--to', url, '--id', '1');
    const [{ headers, body } = { headers: {}, body: '' }] = received;
    expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).not.toThrow();
  });

  test('retries temporary failures, goes on after others, and prints the command that sends these again', async () => {
    const cli = await cliWithHandledEvents();
    await cli.serve();
    let rejected = ['b', 'doomed'];
    const { url, received } = await target(({ body }, count) => {
      const { status } = (JSON.parse(body) as { data: { status: string } }).data;
      return rejected.includes(status) ? 422 : count === 1 ? 503 : 200;
    });
    const first = await cli.run('replay', '--yes', '--to', `${url}?a=1&b=2`, '--rate', '1000');
    expect(first).toMatchObject({ code: 5, out: 'j1 finished, 4 of 4: 2 succeeded, 2 failed\n' });
    expect(received).toHaveLength(5);
    const { out } = await cli.run('jobs', 'show', 'j1');
    expect(out).toContain(
      `Send them again with: npx portaria replay --to '${url}?a=1&b=2' --id 000000-3 --id 000000-4 --rate 1000\n`,
    );
    expect(out).not.toContain('a=1&b=2, ');

    rejected = [];
    const command = /again with: npx portaria (.*)$/mu.exec(out)?.[1]?.replaceAll("'", '').split(' ') ?? [];
    const again = await cli.run(...command, '--yes');
    expect(again.out).toBe('j2 finished, 2 of 2: 2 succeeded\n');
    expect((await cli.run('jobs', 'show', 'j2')).out).not.toContain('again with');
  });

  test('names the first twenty of many failed events', async () => {
    const cli = await servingWith(...violations(60));
    const odd = (body: string) => (JSON.parse(body) as { data: { id: number } }).data.id % 2 === 1;
    const { url } = await target(({ body }) => (odd(body) ? 400 : 200));
    const { out } = await cli.run('replay', '--yes', '--to', url);
    expect(out).toBe('j1 finished, 60 of 60: 30 succeeded, 30 failed\n');
    const shown = (await cli.run('jobs', 'show', 'j1')).out;
    expect(shown).toContain('Send the first 20 of them again with');
    expect(shown.match(/--id /gu)).toHaveLength(20);
  });

  test('retries a redirect', async () => {
    const cli = await cliWithHandledEvents();
    await cli.serve();
    const { url, received } = await target((_, count) => (count === 1 ? 307 : 200));
    expect(await cli.run('replay', '--yes', '--to', url, '--id', '1')).toMatchObject({ code: 0 });
    expect(received).toHaveLength(2);
  });

  test('stops at a target that is down, and a resume starts with the first failed event', async () => {
    const cli = await servingWith(...violations(30));
    let down = true;
    const id = (body: string) => (JSON.parse(body) as { data: { id: number } }).data.id;
    const { url, received } = await target(({ body }) => (down && id(body) >= 5 ? 422 : 200));
    const { code, out } = await cli.run('replay', '--yes', '--to', url);
    expect(code).toBe(5);
    expect(out).toMatch(
      /^j1 stopped \(1\d events in a row failed: responded 422\), 5 of 30: 5 succeeded\n$/u,
    );

    down = false;
    received.length = 0;
    await cli.run('jobs', 'resume', 'j1');
    const { rows } = await cli.run('jobs', 'show', 'j1', '--watch', '--json');
    expect(rows).toMatchObject([{ state: 'finished', acted: 30, succeeded: 30, failed: 0 }]);
    expect(received).toHaveLength(25);
  });

  test('says in the log of serve why there is no connection', async () => {
    const cli = await cliWithHandledEvents();
    const { terminal } = cli.begin(['serve']);
    await terminal.printed('Try it');
    const { code } = await cli.run('replay', '--yes', '--to', 'http://127.0.0.1:2/', '--id', '1');
    expect(code).toBe(5);
    expect(terminal.written.err + terminal.written.out).toMatch(
      /event 000000-1 was not delivered to 127\.0\.0\.1:2: .*ECONNREFUSED/u,
    );
    terminal.interrupt();
  });
});
