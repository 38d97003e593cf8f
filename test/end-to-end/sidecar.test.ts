/** Portaria forwards to an application. test/examples runs the sample applications. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { statisticsOf } from '../faults/kit/statistics.ts';
import { charge } from '../support/webhooks/envelopes.ts';
import { eventually } from '../support/eventually.ts';
import { serve } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';

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
