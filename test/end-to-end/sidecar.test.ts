/** `compose.yaml` without containers: Portaria forwards to the sample application. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { allHandled, statisticsOf } from '../faults/kit/statistics.ts';
import { charge } from '../support/webhooks/envelopes.ts';
import { fixture } from '../support/webhooks/fixtures.ts';
import { eventually } from '../support/eventually.ts';
import { rows, serve, type RunningPortaria } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

async function sampleApplication(webhookSecret: string): Promise<{ url: string; printed: () => string }> {
  const program = fileURLToPath(new URL('../../examples/sidecar-node/server.mjs', import.meta.url));
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env['PATH'], PORT: '0', WEBHOOK_SECRET: webhookSecret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const port = await eventually('the application listens', () => /on port (\d+)/.exec(printed)?.[1]);
  return { url: `http://127.0.0.1:${port}/webhooks`, printed: () => printed };
}

test('the application receives each event once, signed and with the id of the acknowledgement', async () => {
  const application = await sampleApplication(secret);
  const { database } = createWorkspace();
  const env = {
    PORTARIA_DATABASE: database,
    PORTARIA_FORWARD_URL: application.url,
    PORTARIA_FORWARD_SECRET: secret,
  };
  const running = await serve(env);
  const envelope = fixture('traffic-violation.created');

  const { body } = await running.post(envelope);
  const again = await running.post({ data: envelope.data, type: envelope.type });

  expect(again).toMatchObject({ status: 200, body: { status: 'duplicate', id: body['id'] } });
  await allHandled(running);
  const done = await rows(['deliveries', 'list', '--handler', 'forward', '--status', 'succeeded'], env);
  expect(done).toHaveLength(1);
  const received = application.printed().trim().split('\n').slice(1);
  expect(received).toHaveLength(1);
  expect(received[0]).toContain(String(body['id']));
  expect(received[0]).toContain(`traffic-violation.created ${JSON.stringify(envelope.data)}`);
});

test('given an application with another secret, the event waits with the reason until the secret is right', async () => {
  const wrong = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
  const application = await sampleApplication(secret);
  const { database } = createWorkspace();
  const env = { PORTARIA_DATABASE: database, PORTARIA_FORWARD_URL: application.url };
  const forwarded = async (status: string, { operators }: RunningPortaria) => {
    const response = await fetch(new URL(`/api/deliveries?handler=forward&status=${status}`, operators));
    return ((await response.json()) as { readonly data: readonly Readonly<Record<string, unknown>>[] }).data;
  };
  const misconfigured = await serve({ ...env, PORTARIA_FORWARD_SECRET: wrong });
  await misconfigured.post(fixture('charge.created'));
  await eventually('an attempt has failed', async () => {
    const [waiting] = await forwarded('pending', misconfigured);
    return String(waiting?.['last_error']).includes('401');
  });
  expect(await forwarded('dead', misconfigured)).toEqual([]);
  misconfigured.kill('SIGTERM');
  await misconfigured.ended;

  const repaired = await serve({ ...env, PORTARIA_FORWARD_SECRET: secret });
  await allHandled(repaired);

  expect(await forwarded('succeeded', repaired)).toHaveLength(1);
});

test('given an application that rejects everything with 422, five events die and the others wait for its repair', async () => {
  let status = 422;
  const application = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end());
  });
  application.listen(0, '127.0.0.1');
  await once(application, 'listening');
  onTestFinished(() => {
    application.closeAllConnections();
    application.close();
  });
  const { port } = application.address() as AddressInfo;
  const { database } = createWorkspace();
  const env = {
    PORTARIA_DATABASE: database,
    PORTARIA_FORWARD_URL: `http://127.0.0.1:${String(port)}/hooks`,
  };
  const running = await serve(env);
  const counted = async () => (await statisticsOf(running)).deliveries;
  for (let id = 0; id < 40; id += 1) expect((await running.post(charge(id, 1))).status).toBe(202);
  await eventually('the breaker is open', () =>
    running.written().includes('gave up on events of 5 subjects'),
  );
  await eventually('the last dead letter is recorded', async () => (await counted()).dead === 5);

  status = 204;

  await eventually('all others are forwarded', async () => (await counted()).succeeded === 35);
  expect((await counted()).dead).toBe(5);
});
