/** `compose.yaml` without containers: Portaria forwards to the sample application. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { eventually } from '../support/eventually.ts';
import { rows, serve } from '../support/running-portaria.ts';
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
  await eventually('the event is forwarded', async () => {
    const done = await rows(['deliveries', 'list', '--handler', 'forward', '--status', 'succeeded'], env);
    return done.length === 1;
  });
  const received = application.printed().trim().split('\n').slice(1);
  expect(received).toHaveLength(1);
  expect(received[0]).toContain(String(body['id']));
  expect(received[0]).toContain(`traffic-violation.created ${JSON.stringify(envelope.data)}`);
});

test('given an application with another secret, the event is a dead letter with the reason', async () => {
  const application = await sampleApplication(`whsec_${Buffer.alloc(32, 8).toString('base64')}`);
  const { database } = createWorkspace();
  const env = {
    PORTARIA_DATABASE: database,
    PORTARIA_FORWARD_URL: application.url,
    PORTARIA_FORWARD_SECRET: secret,
  };
  const running = await serve(env);

  await running.post(fixture('charge.created'));

  const [dead] = await eventually('a dead letter', async () => {
    const found = await rows(['deliveries', 'list', '--handler', 'forward', '--status', 'dead'], env);
    return found.length > 0 && found;
  });
  expect(dead).toMatchObject({ attempts: 1 });
  expect(dead?.['last_error']).toContain('401');
});
