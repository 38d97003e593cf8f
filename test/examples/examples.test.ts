/** Runs each project of `examples/` against the packed package. */
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fixture } from '../support/webhooks/fixtures.ts';
import { eventually } from '../support/eventually.ts';
import { openExample } from './example-project.ts';

const compiler = fileURLToPath(new URL('../../node_modules/@typescript/native/bin/tsc', import.meta.url));
const secret = `whsec_${Buffer.alloc(32, 'secret of 32 bytes').toString('base64')}`;

describe('custom-handler', () => {
  test('compiles against the published types, and passes its own tests', () => {
    const example = openExample('custom-handler');
    example.run(process.execPath, [compiler]);
    expect(example.run(process.execPath, ['--test', 'test/*.test.ts'])).toMatch(/pass 3\b/);
  });

  test('posts an overdue charge to the finance system', async () => {
    const finance = await recordingServer();
    const example = openExample('custom-handler');
    const { listening } = await example.serve({ PORTARIA_HANDLERS: './handlers', FINANCE_URL: finance.url });

    const { id } = await post(listening, { ...charge(7), status: 'overdue' });

    const [request] = await eventually('the charge is reported', () => nonEmpty(finance.requests));
    expect(request).toEqual({ body: '{"charge":7,"amount":92.41}', key: `${String(id)}/overdue-charges` });
  });
});

describe('custom-machine', () => {
  test('compiles against the published types, and passes its own tests', () => {
    const example = openExample('custom-machine');
    example.run(process.execPath, [compiler]);
    expect(example.run(process.execPath, ['--test', 'test/*.test.ts'])).toMatch(/pass 4\b/);
  });

  test('follows a violation', async () => {
    const example = openExample('custom-machine');
    const { listening, operators } = await example.serve({ PORTARIA_HANDLERS: './handlers' });

    await postEnvelope(listening, fixture('antt-violation.updated'));

    await eventually('the machine has the violation', async () => {
      const [state] = await listed(operators, 'machines');
      return state?.['machine'] === 'antt-penalty' && state['subject'] === 'antt-violation:5107';
    });
  });
});

test('hono-server receives webhooks beside its own routes', async () => {
  const example = openExample('hono-server');
  const application = example.start(process.execPath, ['server.mjs'], { PORT: '0' });
  const [, port = ''] = await application.matches(/on port (\d+)/);
  const base = `http://127.0.0.1:${port}`;

  expect((await fetch(`${base}/charges/7`)).status).toBe(404);
  await post(`${base}/webhooks`, { ...charge(7), status: 'paid' });

  const status = await eventually('the handler has run', async () => {
    const response = await fetch(`${base}/charges/7`);
    return response.ok && response.json();
  });
  expect(status).toEqual({ status: 'paid' });
});

test('opentelemetry prints the spans of a webhook and of its handler, and the metrics', async () => {
  const example = openExample('opentelemetry');
  const { listening, output } = await example.serve({
    PORTARIA_HANDLERS: './handlers',
    NODE_OPTIONS: '--import ./instrumentation.mjs',
    EXPORT_INTERVAL_MS: '1000',
  });

  await post(listening, { ...charge(7), status: 'overdue' });

  const spanOf = (name: string): Promise<string> =>
    eventually(`the span ${name} is printed`, () =>
      output()
        .split(/^\{$/mu)
        .find((printed) => printed.includes(`  name: '${name}'`)),
    );
  const idOf = (span: string): string => /^ {2}id: '(\w+)'/mu.exec(span)?.[1] ?? '';
  const receive = await spanOf('receive default');
  const attempt = await spanOf('process overdue');
  expect(attempt).toContain(`spanId: '${idOf(receive)}'`);
  expect(attempt).toContain('parentSpanContext: undefined');
  expect(await spanOf('remind the customer')).toContain(`spanId: '${idOf(attempt)}'`);
  await eventually('the metrics are printed', () => output().includes("name: 'messaging.process.duration'"));
});

/** Servers close connections that are idle for 5 seconds, and commands that block this process may take longer. */
const unpooled = { headers: { connection: 'close' } };

const servers = ['server.mjs', 'express.mjs', 'fastify.mjs'];

test.each(servers)('node-server/%s books a payment once, although its handler is replayed', async (file) => {
  const example = openExample('node-server');
  const application = example.start(process.execPath, [file], { PORT: '0' });
  const [, port = ''] = await application.matches(/on port (\d+)/);
  const base = `http://127.0.0.1:${port}`;
  const payments = async () => (await fetch(`${base}/payments`, unpooled)).json();
  expect((await fetch(`${base}/nowhere`, unpooled)).status).toBe(404);

  await post(`${base}/webhooks`, { ...charge(7), status: 'paid' });
  const booked = [{ charge: 7, amount: 92.41 }];
  await eventually('the payment is booked', async () => ((await payments()) as unknown[]).length > 0);
  await eventually('its delivery is recorded', () => {
    const [delivery] = lines(example.portaria('deliveries', 'list', '--json'));
    return delivery?.['status'] === 'succeeded';
  });

  // A second terminal, whose settings name no folder of handlers.
  expect(example.portaria('handlers', 'list')).toMatch(/^payments +handler +charge\.updated/m);
  expect(example.portaria('replay', '--handler', 'payments', '--yes')).toMatch(/1 succeeded/);
  expect(lines(example.portaria('deliveries', 'list', '--json'))).toMatchObject([
    { handler: 'payments', status: 'succeeded', replay: 'j1' },
    { handler: 'payments', status: 'succeeded', replay: null },
  ]);
  expect(await payments()).toEqual(booked);
});

const sidecars = [
  { name: 'sidecar-node', command: process.execPath, args: ['server.mjs'] },
  { name: 'sidecar-python', command: 'python3', args: ['app.py'] },
] as const;

describe.each(sidecars)('$name', ({ name, command, args }) => {
  test.skipIf(!runs(command))(
    `receives each event once, signed and with its id, and rejects unsigned requests${runs(command) ? '' : ` (skipped: ${command} is not installed)`}`,
    async () => {
      const example = openExample(name);
      const application = example.start(command, args, { PORT: '0', WEBHOOK_SECRET: secret });
      const [, port = ''] = await application.matches(/on port (\d+)/);
      const target = `http://127.0.0.1:${port}/webhooks`;
      const { listening, operators } = await example.serve({
        PORTARIA_FORWARD_URL: target,
        PORTARIA_FORWARD_SECRET: secret,
      });

      const { id } = await post(listening, charge(7));
      expect(await post(listening, charge(7), 200)).toMatchObject({ status: 'duplicate', id });
      const unsigned = await fetch(target, { method: 'POST', body: '{}' });

      expect(unsigned.status).toBe(401);
      await application.matches(new RegExp(`${String(id)}\\S* charge\\.updated`));
      await eventually('the delivery has succeeded', async () => {
        const [delivery] = await listed(operators, 'deliveries?handler=forward');
        return delivery?.['status'] === 'succeeded';
      });
      expect(application.output().split(' charge.updated')).toHaveLength(2);
    },
  );
});

type Row = Readonly<Record<string, unknown>>;

/** A list of the operators' API. */
async function listed(operators: string, path: string): Promise<readonly Row[]> {
  const response = await fetch(new URL(`/api/${path}`, operators), unpooled);
  return ((await response.json()) as { readonly data: readonly Row[] }).data;
}

const charge = (id: number) => ({ id, type: 'fee', status: 'pending', amount: 92.41 });

const post = (url: string, data: object, status = 202) =>
  postEnvelope(url, { type: 'charge.updated', data }, status);

async function postEnvelope(
  url: string,
  envelope: object,
  status = 202,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...unpooled.headers },
    body: JSON.stringify(envelope),
  });
  expect(response.status).toBe(status);
  return (await response.json()) as Record<string, unknown>;
}

/** An HTTP server that records the requests and responds with 204. */
async function recordingServer() {
  const requests: { body: string; key: unknown }[] = [];
  const server = createServer((request, response) => {
    void request.toArray().then((chunks: Buffer[]) => {
      requests.push({
        body: Buffer.concat(chunks).toString(),
        key: request.headers['idempotency-key'],
      });
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { requests, url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/overdue` };
}

function runs(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const nonEmpty = <T>(list: readonly T[]) => (list.length > 0 ? list : undefined);

const lines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
