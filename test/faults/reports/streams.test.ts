/** Reports about signals, and about who reads the log. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { rows, serve, startServe } from '../../support/running-portaria.ts';
import { charge } from '../../support/webhooks/envelopes.ts';
import { createWorkspace, recording } from '../../support/workspace.ts';
import { listens } from '../kit/open-port.ts';
import { report } from './report.ts';

/** Runs a program with a pipe as its standard output, and says on standard error when the pipe is open. */
const INTO = ['sh', '-c', 'exec > "$0"; echo opened >&2; exec "$@"'];

/** A `serve` that writes to a pipe. The test has both ends of it. */
async function serveInto(
  format: string | null,
  before: (pipe: string) => void,
  settings: Readonly<Record<string, string>> = {},
) {
  const { folder, database } = createWorkspace();
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  before(pipe);
  const port = await freePort();
  const running = startServe(
    {
      PORTARIA_DATABASE: database,
      PORTARIA_PORT: String(port),
      PORTARIA_LOG_FORMAT: format ?? '',
      PORTARIA_LOG_LEVEL: 'debug',
      ...settings,
    },
    [...INTO, pipe],
  );
  await eventually('the program has its pipe', () => running.written().includes('opened'));
  return { running, port, pipe, reader, begun: () => eventually('it listens', () => listens(port)) };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function post(port: number, id: number): Promise<void> {
  const body = JSON.stringify(charge(id, 1));
  expect((await fetch(`http://127.0.0.1:${String(port)}/webhooks`, { method: 'POST', body })).status).toBe(
    202,
  );
}

/** Writes to a pipe until it takes nothing more. */
function fill(pipe: string): void {
  const writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    for (;;) writeSync(writer, '\n'.repeat(4096));
  } catch {
    closeSync(writer);
  }
}

function hasBytes(reader: number): boolean {
  try {
    return readSync(reader, Buffer.alloc(4096)) > 0;
  } catch {
    // Nothing yet.
    return false;
  }
}

for (const format of ['json', 'pretty', null]) {
  report(
    `standard output with a reader that stalls (format ${String(format)})`,
    'ends at the first SIGTERM',
    async () => {
      const { running, begun } = await serveInto(format, fill);
      await begun();
      running.kill('SIGTERM');
      expect(await running.ended).toMatchObject({ code: 0, signal: null });
    },
  );

  report(
    `standard output whose reader leaves (format ${String(format)})`,
    'goes on, and says so on standard error',
    async () => {
      const { running, reader, begun } = await serveInto(format, () => undefined);
      closeSync(reader);
      await begun();
      await eventually('standard error has a word', () =>
        running.written().includes('warning: standard output cannot be written: EPIPE'),
      );
      running.kill('SIGTERM');
      expect(await running.ended).toMatchObject({ code: 0, signal: null });
    },
  );
}

report('standard output whose reader leaves twice', 'says so each time', async () => {
  const { running, port, pipe, reader, begun } = await serveInto('json', () => undefined);
  const warnings = () => running.written().split('warning: standard output').length - 1;
  closeSync(reader);
  await begun();
  await eventually('standard error has a word', () => warnings() === 1);

  const second = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  await post(port, 1);
  await eventually('a line arrives', () => hasBytes(second));
  closeSync(second);
  await post(port, 2);
  await eventually('standard error has another word', () => warnings() === 2);
});

for (const [what, before] of [
  ['has left', (_pipe: string, reader: number) => closeSync(reader)],
  ['stalls', fill],
] as const)
  report(
    `a handler that calls process.exit when the reader of standard output ${what}, with nothing written since`,
    'ends, although the log cannot be written',
    async () => {
      const workspace = createWorkspace();
      workspace.writeHandler(
        'exits.ts',
        `${recording(workspace)}
        export default defineHandler({
          name: 'exits',
          on: 'charge.*',
          async handle(_event, { signal, log }) {
            record('begun');
            await opened('gate', signal);
            log.error('the last line');
            process.exit(3);
          },
        });`,
      );
      const { running, port, pipe, reader, begun } = await serveInto('json', () => undefined, {
        PORTARIA_HANDLERS: workspace.handlers,
        PORTARIA_LOG_LEVEL: 'error',
      });
      await begun();
      await post(port, 1);
      await eventually('the handler runs', () => workspace.recorded().includes('begun'));
      before(pipe, reader);
      workspace.open('gate');
      expect(await running.ended).toMatchObject({ code: 1, signal: null });
      expect(running.written()).toContain('warning:');
    },
  );

report('SIGHUP while a handler runs', 'stops as at SIGTERM', async () => {
  const workspace = createWorkspace();
  workspace.writeHandler(
    'waits.ts',
    `${recording(workspace)}
    export default defineHandler({
      name: 'waits',
      on: 'charge.*',
      async handle(_event, { signal }) { record('begun'); await opened('gate', signal); },
    });`,
  );
  const env = {
    PORTARIA_DATABASE: workspace.database,
    PORTARIA_HANDLERS: workspace.handlers,
    PORTARIA_SHUTDOWN_GRACE_MS: '50',
  };
  const running = await serve(env);
  await running.post(charge(1, 1));
  await eventually('the handler runs', () => workspace.recorded().includes('begun'));
  running.kill('SIGHUP');
  expect(await running.ended).toMatchObject({ code: 0, signal: null });
  expect(await rows(['deliveries', 'list'], env)).toMatchObject([{ status: 'pending', attempts: 0 }]);
});
