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

describe('replay --to <url>', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

  test('posts the stored bytes, in order per subject, with the event’s id, and calls no handler', async () => {
    const cli = await cliWithHandledEvents();
    const { url, received } = await target(() => 204);
    const { code, out } = await cli.run('replay', '--yes', '--to', url);
    expect(code).toBe(0);
    expect(out).toBe('r1: 4 events delivered, 0 failed\n');
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

  test('signs by Standard Webhooks when a forward secret is configured', async () => {
    const cli = await cliWithHandledEvents();
    cli.env['PORTARIA_FORWARD_SECRET'] = secret;
    cli.clock.wall = Date.now();
    const { url, received } = await target(() => 200);
    await cli.run('replay', '--yes', '--to', url, '--id', '1');
    const [{ headers, body } = { headers: {}, body: '' }] = received;
    expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).not.toThrow();
  });

  test('reports rejected events and goes on, and retries temporary failures', async () => {
    const cli = await cliWithHandledEvents();
    const { url, received } = await target(({ body }, count) =>
      body.includes('doomed') ? 422 : count === 1 ? 503 : 200,
    );
    const { code, out, err } = await cli.run('replay', '--yes', '--to', url, '--concurrency', '1');
    expect(code).toBe(5);
    expect(out).toBe('r1: 3 events delivered, 1 failed\n');
    expect(err).toContain('000000-4 traffic-violation.created: responded 422');
    expect(received).toHaveLength(5);
  });

  /** The arguments of the command that the output suggests after this label. */
  const command = (text: string, label: string) =>
    new RegExp(`^${label}: npx portaria (.*)$`, 'm').exec(text)?.[1]?.replaceAll("'", '').split(' ') ?? [];

  test('prints the command that sends the failed events again', async () => {
    const cli = await cliWithHandledEvents();
    let rejected = ['a', 'doomed'];
    const { url, received } = await target(({ body }) =>
      rejected.includes((JSON.parse(body) as { data: { status: string } }).data.status) ? 422 : 200,
    );
    const first = await cli.run('replay', '--yes', '--to', `${url}?a=1&b=2`, '--concurrency', '2');
    expect(first.err).toContain(
      `Send the failed events again with: npx portaria replay --to '${url}?a=1&b=2' --id 000000-1 --id 000000-2 --id 000000-4 --concurrency 2\n`,
    );
    expect(first.err).not.toContain('--resume');

    rejected = [];
    received.length = 0;
    const again = await cli.run(...command(first.err, 'Send the failed events again with'), '--yes');
    expect(again.out).toBe('r2: 3 events delivered, 0 failed\n');
    expect(again.err).not.toContain('failed events again');
  });

  test('when many events failed, the command resumes a replay of exactly those', async () => {
    const cli = cliEnvironment();
    await cli.seed(Array.from({ length: 60 }, (_, index) => violation(index)));
    const odd = (body: string) => (JSON.parse(body) as { data: { id: number } }).data.id % 2 === 1;
    let isFixed = false;
    const { url, received } = await target(({ body }) => (odd(body) && !isFixed ? 400 : 200));
    const first = await cli.run('replay', '--yes', '--to', url, '--concurrency', '1');
    expect(first.out).toBe('r1: 30 events delivered, 30 failed\n');
    expect(command(first.err, 'Send the failed events again with')).toEqual([
      'replay',
      '--resume',
      'r2',
      '--concurrency',
      '1',
    ]);

    isFixed = true;
    received.length = 0;
    const again = await cli.run(...command(first.err, 'Send the failed events again with'));
    expect(again).toMatchObject({ code: 0, out: 'r2: 30 events delivered, 0 failed\n' });
    expect(received.every(({ body }) => odd(body))).toBe(true);
  });

  test('at a target that is down, does not suggest sending events that the resume sends again', async () => {
    const cli = cliEnvironment();
    await cli.seed(Array.from({ length: 20 }, (_, index) => violation(index)));
    const { url } = await target((_, count) => (count === 2 || count > 5 ? 422 : 200));
    const { err, out } = await cli.run('replay', '--yes', '--to', url, '--concurrency', '1');
    expect(out).toBe('r1: 4 events delivered, 11 failed\n');
    expect(command(err, 'Send the failed events again with')).toContain('000000-2');
    expect(command(err, 'Send the failed events again with').filter((word) => word === '--id')).toHaveLength(
      1,
    );
    expect(command(err, 'Resume with')).toEqual(['replay', '--resume', 'r1', '--concurrency', '1']);
  });

  test('retries a redirect', async () => {
    const cli = await cliWithHandledEvents();
    const { url, received } = await target((_, count) => (count === 1 ? 307 : 200));
    expect(await cli.run('replay', '--yes', '--to', url, '--id', '1')).toMatchObject({ code: 0 });
    expect(received).toHaveLength(2);
  });

  test('stops at a target that is down, and a resume starts with the first failed event', async () => {
    const cli = cliEnvironment();
    await cli.seed(Array.from({ length: 30 }, (_, index) => violation(index, 'pending')));
    let down = true;
    const { url, received } = await target((_, count) => (down && count > 5 ? 422 : 200));
    const first = await cli.run('replay', '--yes', '--to', url, '--concurrency', '1');
    expect(first.code).toBe(5);
    expect(first.out).toBe('r1: 5 events delivered, 10 failed\n');
    expect(first.err).toContain('failed in a row');

    down = false;
    received.length = 0;
    const second = await cli.run('replay', '--resume', 'r1', '--json');
    expect(second.rows).toEqual([{ replay: 'r1', ended: 'done', delivered: 25, failed: 0, pruned: 0 }]);
    expect(received[0]?.headers['webhook-id']).toBe('000000-6');
  });

  test('reports why there is no connection', async () => {
    const cli = await cliWithHandledEvents();
    const { code, err } = await cli.run('replay', '--yes', '--to', 'http://127.0.0.1:1/', '--id', '1');
    expect(code).toBe(1);
    expect(err).toMatch(/000000-1 .*(ECONNREFUSED|bad port)/);
  });
});
