import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cliWorld, violation } from './cli-world.ts';
import { handledWorld } from './recording-world.ts';

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function target(answer: (received: Received, count: number) => number) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = { headers: request.headers, body: Buffer.concat(chunks).toString() };
      received.push(one);
      response.writeHead(answer(one, received.length), { 'retry-after': '0' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hook`, received };
}

describe('--to an address', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

  test('posts the stored bytes, in order per subject, with the event’s id, and calls no handler', async () => {
    const world = await handledWorld();
    const { url, received } = await target(() => 204);
    const { code, out } = await world.run('replay', '--yes', '--to', url);
    expect(code).toBe(0);
    expect(out).toBe('r1: 4 events delivered, 0 failed\n');
    expect(world.again()).toEqual([]);
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

  test('signs as forward does when a secret is configured', async () => {
    const world = await handledWorld();
    world.env['PORTARIA_FORWARD_SECRET'] = secret;
    world.clock.wall = Date.now();
    const { url, received } = await target(() => 200);
    await world.run('replay', '--yes', '--to', url, '--id', '1');
    const [{ headers, body } = { headers: {}, body: '' }] = received;
    expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).not.toThrow();
  });

  test('reports rejected events and continues; transient failures are retried', async () => {
    const world = await handledWorld();
    const { url, received } = await target(({ body }, count) =>
      body.includes('doomed') ? 422 : count === 1 ? 503 : 200,
    );
    const { code, out, err } = await world.run('replay', '--yes', '--to', url, '--concurrency', '1');
    expect(code).toBe(5);
    expect(out).toBe('r1: 3 events delivered, 1 failed\n');
    expect(err).toContain('000000-4 traffic-violation.created: responded 422');
    expect(received).toHaveLength(5);
  });

  /** What follows `portaria` in the command that the output names. */
  const command = (text: string, before: string) =>
    new RegExp(`^${before}: portaria (.*)$`, 'm').exec(text)?.[1]?.replaceAll("'", '').split(' ') ?? [];

  test('names the command that sends what failed again', async () => {
    const world = await handledWorld();
    let refused = ['a', 'doomed'];
    const { url, received } = await target(({ body }) =>
      refused.includes((JSON.parse(body) as { data: { status: string } }).data.status) ? 422 : 200,
    );
    const first = await world.run('replay', '--yes', '--to', `${url}?a=1&b=2`, '--concurrency', '2');
    expect(first.err).toContain(
      `Send what failed again: portaria replay --to '${url}?a=1&b=2' --id 000000-1 --id 000000-2 --id 000000-4 --concurrency 2\n`,
    );
    expect(first.err).not.toContain('--resume');

    refused = [];
    received.length = 0;
    const again = await world.run(...command(first.err, 'Send what failed again'), '--yes');
    expect(again.out).toBe('r2: 3 events delivered, 0 failed\n');
    expect(again.err).not.toContain('failed again');
  });

  test('when many failed, the command resumes a replay of just those', async () => {
    const world = cliWorld();
    await world.seed(Array.from({ length: 60 }, (_, index) => violation(index)));
    const odd = (body: string) => (JSON.parse(body) as { data: { id: number } }).data.id % 2 === 1;
    let mended = false;
    const { url, received } = await target(({ body }) => (odd(body) && !mended ? 400 : 200));
    const first = await world.run('replay', '--yes', '--to', url, '--concurrency', '1');
    expect(first.out).toBe('r1: 30 events delivered, 30 failed\n');
    expect(command(first.err, 'Send what failed again')).toEqual([
      'replay',
      '--resume',
      'r2',
      '--concurrency',
      '1',
    ]);

    mended = true;
    received.length = 0;
    const again = await world.run(...command(first.err, 'Send what failed again'));
    expect(again).toMatchObject({ code: 0, out: 'r2: 30 events delivered, 0 failed\n' });
    expect(received.every(({ body }) => odd(body))).toBe(true);
  });

  test('at a target that is down, what resuming sends again is not named twice', async () => {
    const world = cliWorld();
    await world.seed(Array.from({ length: 20 }, (_, index) => violation(index)));
    const { url } = await target((_, count) => (count === 2 || count > 5 ? 404 : 200));
    const { err, out } = await world.run('replay', '--yes', '--to', url, '--concurrency', '1');
    expect(out).toBe('r1: 4 events delivered, 11 failed\n');
    expect(command(err, 'Send what failed again')).toContain('000000-2');
    expect(command(err, 'Send what failed again').filter((word) => word === '--id')).toHaveLength(1);
    expect(command(err, 'Go on with')).toEqual(['replay', '--resume', 'r1', '--concurrency', '1']);
  });

  test('a redirect is tried again, as forward does', async () => {
    const world = await handledWorld();
    const { url, received } = await target((_, count) => (count === 1 ? 307 : 200));
    expect(await world.run('replay', '--yes', '--to', url, '--id', '1')).toMatchObject({ code: 0 });
    expect(received).toHaveLength(2);
  });

  test('stops at a target that is down; resumed, it begins with the first that failed', async () => {
    const world = cliWorld();
    await world.seed(Array.from({ length: 30 }, (_, index) => violation(index, 'pending')));
    let down = true;
    const { url, received } = await target((_, count) => (down && count > 5 ? 404 : 200));
    const first = await world.run('replay', '--yes', '--to', url, '--concurrency', '1');
    expect(first.code).toBe(5);
    expect(first.out).toBe('r1: 5 events delivered, 10 failed\n');
    expect(first.err).toContain('failed again and again');

    down = false;
    received.length = 0;
    const second = await world.run('replay', '--resume', 'r1', '--json');
    expect(second.rows).toEqual([{ replay: 'r1', ended: 'done', delivered: 25, failed: 0 }]);
    expect(received[0]?.headers['webhook-id']).toBe('000000-6');
  });

  test('nobody there is a failure with its cause', async () => {
    const world = await handledWorld();
    const { code, err } = await world.run('replay', '--yes', '--to', 'http://127.0.0.1:1/', '--id', '1');
    expect(code).toBe(1);
    expect(err).toMatch(/000000-1 .*(ECONNREFUSED|bad port)/);
  });
});
