import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { cliEnvironment } from './kit/cli-environment.ts';
import { SECRET, serving } from './kit/serving.ts';

describe('send', () => {
  test('posts the sample of a kind with changed fields, --count times', async () => {
    const cli = await serving();
    const { code, out } = await cli.run(
      'send',
      'traffic-violation.created',
      '--url',
      cli.url,
      '--count',
      '3',
      '--set',
      'data.id={n}',
      '--set',
      'data.status=paid',
      '--set',
      'data.extra.deep=[1]',
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^(202 \{"status":"accepted",.*\}\n){3}$/);
    const { rows } = await cli.run('events', 'show', '3', '--json', '--unmask');
    expect(rows[0]).toMatchObject({
      subject: 'traffic-violation:3',
      data: { id: 3, status: 'paid', extra: { deep: [1] } },
    });
  });

  test('posts a scenario line by line, and the bytes of standard input as they are', async () => {
    const cli = await serving();
    const scenario = await cli.run('send', 'slip-issued', '--url', cli.url, '--json');
    expect(scenario.rows.length).toBeGreaterThan(1);
    expect(scenario.rows.every(({ status }) => status === 202)).toBe(true);
    const broken = await cli.begin(['send', '-', '--url', cli.url], { input: '{broken' }).ended;
    expect(broken.code).toBe(1);
    expect(broken.out).toMatch(/^400 /);
  });

  const shop = `import { defineKind, defineSource, z } from 'portaria';
    export default defineSource('shop', {
      envelope: { type: 'event.name', data: 'event.payload' },
      verify: { scheme: 'none' },
      kinds: [defineKind('ordered', { schema: z.object({ id: z.string() }), example: { id: 'a' } })],
    });`;

  test('sets fields of the payload where the envelope of a custom source holds it', async () => {
    const cli = await serving({}, { handlers: { shop } });
    const send = (...settings: string[]) =>
      cli.run('send', 'ordered', '--source', 'shop', '--url', `${cli.url}/shop`, '--set', ...settings);
    expect(await send('event.payload.id=b-7')).toMatchObject({ code: 0 });
    const { rows } = await cli.run('events', 'list', '--json');
    expect(rows).toMatchObject([{ subject: 'ordered:b-7' }]);
    expect(await send('data.id=c')).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        '--set data.id is not in the envelope of source shop (event.name and event.payload); did you mean event.payload.id?',
      ) as string,
    });
    expect((await cli.run('send', 'charge.created', '--url', cli.url, '--set', 'id=7')).err).toContain(
      '--set id is not in the envelope of source default (type and data); did you mean data.id?',
    );
    expect((await cli.run('events', 'list', '--json')).rows).toHaveLength(1);
  });

  test('names the source of a kind that only that source sends', async () => {
    const cli = cliEnvironment({ shop });
    expect((await cli.run('send', 'ordered')).err).toMatch(
      /^error: ordered is a kind of source shop: add --source shop\n$/,
    );
    expect((await cli.run('send', 'ordred')).err, 'no system error').not.toContain('because:');
    expect((await cli.run('send', 'orderd')).err).not.toContain('did you mean');
    expect((await cli.run('send', 'orderd', '--source', 'shop')).err).toContain('did you mean ordered?');
  });

  test('ends with 5 when some webhooks are rejected', async () => {
    const cli = await serving();
    const input = `${JSON.stringify({ type: 'charge.created', data: { id: 'x' } })}\n${JSON.stringify({ type: 'odd', data: 1 })}\n`;
    expect(await cli.begin(['send', '-', '--url', cli.url], { input }).ended).toMatchObject({ code: 5 });
  });

  test.each([
    ['token', { PORTARIA_SECRETS: 'new,old' }],
    ['hmac', { PORTARIA_SECRETS: 'new,old' }],
    ['standard', { PORTARIA_SECRETS: SECRET }],
  ])('signs with the configured scheme %s', async (scheme, secrets) => {
    const env = { PORTARIA_VERIFY: scheme, ...secrets };
    const cli = await serving(env);
    const send = (args: string[]) =>
      cli.begin(['send', 'company.created', '--url', cli.url, ...args], { env }).ended;
    expect((await send([])).out).toMatch(/^202 /);
    const wrong = scheme === 'standard' ? 'whsec_d3Jvbmctd3Jvbmctd3Jvbmc=' : 'wrong';
    expect(await send(['--secret', wrong])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^401 /) as string,
    });
    expect((await send(['--verify', 'none'])).out).toMatch(/^401 /);
  });

  test('signs for another receiver with flags alone', async () => {
    const received: { headers: NodeJS.Dict<string | string[]>; body: string }[] = [];
    const server = createServer((request, response) => {
      request.setEncoding('utf8').once('data', (body: string) => {
        received.push({ headers: request.headers, body });
        response.end('not json');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
    const cli = cliEnvironment();
    cli.clock.wall = Date.now();
    const flags = ['--verify', 'standard', '--secret', SECRET];
    expect(await cli.run('send', 'charge.created', '--url', url, ...flags)).toMatchObject({
      out: '200 not json\n',
    });
    const [{ headers, body } = { headers: {}, body: '' }] = received;
    expect(() => new Webhook(SECRET).verify(body, headers as Record<string, string>)).not.toThrow();
    await cli.run(
      'send',
      'charge.created',
      '--url',
      url,
      '--verify',
      'token',
      '--secret',
      't',
      '--header',
      'X-Key',
    );
    expect(received[1]?.headers['x-key']).toBe('t');
  });

  test('says first that a certificate is not trusted', async () => {
    const cause = Object.assign(new Error('self-signed certificate'), {
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed', { cause })));
    onTestFinished(() => void vi.unstubAllGlobals());
    const url = 'https://hooks.example.com/webhooks';
    expect(await cliEnvironment().run('send', 'charge.created', '--url', url)).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /^error: The certificate of hooks\.example\.com is not trusted: NODE_EXTRA_CA_CERTS/,
      ),
    });
  });

  test.each([
    [['trafic-violation.created'], 3, 'did you mean traffic-violation.created?'],
    [['slip-isued'], 3, 'did you mean slip-issued?'],
    [['charge.created', '--source', 'fleet'], 3, '--source fleet is not configured; configured are default'],
    [['charge.created', '--verify', 'hmac'], 2, 'add --secret'],
    [['charge.created', '--verify', 'standard', '--secret', '!'], 2, 'base64'],
    [['charge.created', '--set', 'data.id'], 2, 'path=value'],
    [['charge.created', '--url', 'localhost:1'], 2, 'http://'],
    [['charge.created', '--url', 'http://127.0.0.1:10'], 1, 'is `portaria serve` running there?'],
  ])('%j ends with %i', async (args, expected, message) => {
    const { code, err } = await cliEnvironment().run('send', ...args);
    expect(code).toBe(expected);
    expect(err).toContain(message);
  });
});
