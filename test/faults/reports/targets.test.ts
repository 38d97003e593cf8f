/** Reports about targets: of `forward`, of replays, of alerts and of the client. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { launchNode } from '../../support/launch-program.ts';
import { openEndlessServer } from '../../support/endless-server.ts';
import { portaria, rows, serve } from '../../support/running-portaria.ts';
import { charge } from '../../support/webhooks/envelopes.ts';
import { createWorkspace } from '../../support/workspace.ts';
import { report } from './report.ts';

const builtClient = fileURLToPath(new URL('../../../dist/src/client/index.js', import.meta.url));

/**
 * A target, and a module for `--import` with which `fetch` gives up after a second instead of 300. The target responds
 * once such a request that was sent after the one in question has been given up.
 */
async function slowTarget(folder: string) {
  let waiting: (() => void)[] = [];
  let received = 0;
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === '/given-up') {
      const earlier = waiting;
      response.on('close', () => {
        for (const respond of earlier) respond();
        waiting = waiting.filter((respond) => !earlier.includes(respond));
      });
    } else {
      received += 1;
      waiting = [
        ...waiting,
        () => {
          if (!response.writableEnded) response.end('{"data":{"id":1}}');
        },
      ];
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const preload = join(folder, 'impatient.mjs');
  writeFileSync(
    preload,
    `await fetch('data:,');
    for (const name of [1, 2].map((version) => Symbol.for('undici.globalDispatcher.' + version)))
      if (globalThis[name]?.constructor.name === 'Agent')
        globalThis[name] = new globalThis[name].constructor({ headersTimeout: 1, bodyTimeout: 1 });
    const ask = () => fetch('${url}/given-up').catch(() => undefined).then(() => setTimeout(ask, 10).unref());
    void ask();`,
  );
  return { url, preload, received: () => received };
}

report(
  'a target that responds later than the 300 s of fetch, within its own limit',
  'waits for it: forward, replay --to and the typed client',
  async () => {
    const { folder, database } = createWorkspace();
    const { url, preload, received } = await slowTarget(folder);
    const env = {
      PORTARIA_DATABASE: database,
      PORTARIA_FORWARD_URL: url,
      PORTARIA_FORWARD_TIMEOUT_MS: '400000',
      NODE_OPTIONS: `--import=${preload}`,
    };
    const running = await serve(env);
    await running.post(charge(1, 1));
    await eventually(
      'the event is delivered',
      async () =>
        (await rows(['deliveries', 'list', '--status', 'succeeded'], { PORTARIA_DATABASE: database }))
          .length === 1,
    );
    expect(received()).toBe(1);

    expect(await portaria(['replay', '--to', url, '--yes', '--id', '1'], env)).toMatchObject({ code: 0 });
    expect(received()).toBe(2);

    const call = `import { createClient } from ${JSON.stringify(builtClient)};
      const client = createClient({ url: '${url}', apiKey: 'key', timeoutMs: 400_000, totalTimeoutMs: 400_000 });
      console.log((await client.charges.read(1)).id);`;
    const { out, err } = await launchNode([`--import=${preload}`, '--input-type=module', '--eval', call])
      .ended;
    expect({ out, err }).toEqual({ out: '1\n', err: '' });
    expect(received()).toBe(3);
  },
);

for (const [status, ending] of [
  [200, 'succeeded'],
  [422, 'dead'],
] as const)
  report(
    `a target that writes ${String(status)} and never ends its body`,
    `the status decides: ${ending}`,
    async () => {
      const { database } = createWorkspace();
      const target = await openEndlessServer({ status, begin: '{', chunk: '' });
      const env = { PORTARIA_DATABASE: database, PORTARIA_FORWARD_URL: target.url };
      const running = await serve(env);
      await running.post(charge(1, 1));
      const [delivery] = await eventually('the attempt has ended', async () => {
        const found = await rows(['deliveries', 'list'], env);
        return found[0]?.['status'] !== 'running' && found[0]?.['attempts'] === 1 && found;
      });
      expect(delivery).toMatchObject({ status: ending, attempts: 1 });
      await target.disconnected;
      running.kill('SIGTERM');
      expect(await running.ended).toMatchObject({ code: 0 });
    },
  );
