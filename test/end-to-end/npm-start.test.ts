/** When `npm start` is ended by its process id, the server ends too and frees port and database. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createWorkspace } from '../support/workspace.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));

async function npmStart() {
  const { database } = createWorkspace();
  const child = spawn('npm', ['start'], {
    cwd: repository,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORTARIA_DATABASE: database,
      PORTARIA_PORT: '0',
      PORTARIA_OPS_PORT: '0',
      PORTARIA_LOG_FORMAT: 'json',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
    // A separate process group, so that the test can end both processes.
    detached: true,
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  // The pipe closes once both npm and the server have ended.
  let closed = false;
  child.stdout.once('close', () => (closed = true));
  const ready = await eventually('the server is ready', () => {
    const line = out.split('\n').find((text) => text.includes('Portaria is ready'));
    return line === undefined ? undefined : (JSON.parse(line) as { listening: string });
  });
  onTestFinished(() => {
    if (!closed) process.kill(-Number(child.pid), 'SIGKILL');
  });
  return { child, url: ready.listening, allEnded: () => closed, out: () => out };
}

test.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)('%s of npm ends the server', async (signal) => {
  const { child, url, allEnded, out } = await npmStart();
  expect((await fetch(new URL('/healthz', url))).status).toBe(200);

  child.kill(signal);

  await eventually('both processes have ended', allEnded);
  expect(out()).toContain('stopping: running handlers may finish');
  await expect(fetch(new URL('/healthz', url))).rejects.toThrow();
});
