/** The built files: many sources in one file, each source in one file only, and traceable to the sources. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { allHandled } from '../faults/kit/statistics.ts';
import { charge } from '../support/webhooks/envelopes.ts';
import { rows, serve } from '../support/running-portaria.ts';
import { recording, createWorkspace } from '../support/workspace.ts';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));

test('no module is in two files, so its state exists once', () => {
  const maps = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.js.map'),
  );
  const modules = maps.flatMap((map) => {
    const { sources } = JSON.parse(readFileSync(join(dist, map), 'utf8')) as { sources: string[] };
    return sources.map((source) => resolve(dist, map, '..', source));
  });

  expect(modules.filter((module) => module.endsWith('/src/kernel/errors.ts'))).toHaveLength(1);
  expect(modules.filter((module) => module.endsWith('/zod/v4/core/core.js'))).toHaveLength(1);
  expect(modules.filter((module, workspace) => modules.indexOf(module) !== workspace)).toEqual([]);
});

test('few modules depend on their own URL, and any file of the package works for them', () => {
  const sources = ['src', 'provider'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /(?<![.]test)[.]ts$/.test(file) && !file.startsWith('test/'))
      .map((file) => join(folder, file)),
  );

  const byAddress = sources.filter((file) => readFileSync(join(root, file), 'utf8').includes('import.meta'));

  expect(byAddress.sort()).toEqual([
    'provider/reference/reference-routes.ts',
    'src/handle/load/module-loader.ts',
    'src/kernel/files/package-files.ts',
    'src/pages/assets.ts',
  ]);
});

test.each([
  'store/sqlite/commit/thread/writer-thread',
  'store/sqlite/read/reader-thread',
  'serving/watchdog/watchdog-thread',
])('the thread of %s loads neither fetch nor WebSocket', (thread) => {
  const loading = `await import('${dist}src/${thread}.js'); console.log(process.moduleLoadList.join());`;

  const loaded = execFileSync(process.execPath, ['--input-type=module', '--eval', loading], {
    encoding: 'utf8',
  });

  expect(loaded).toContain('NativeModule worker_threads');
  expect(loaded).not.toContain('NativeModule internal/deps/undici');
});

test('handlers in .ts and .mjs have the classes of the program that runs them', async () => {
  const workspace = createWorkspace();
  const source = (name: string) => `${recording(workspace)}
    import { ClientError, PortariaError } from 'portaria/client';
    import { PortariaError as ofPortaria } from 'portaria';
    export default defineHandler({
      name: '${name}',
      on: 'charge.*',
      async handle({ data }, { client }) {
        const error = await client.charges.read(data.id).catch((error) => error);
        record(['${name}', error instanceof ClientError, error.code, PortariaError === ofPortaria].join(' '));
        throw new GiveUp('nobody answers');
      },
    });`;
  workspace.writeHandler('typed.ts', source('typed'));
  workspace.writeHandler('plain.mjs', untyped(source('plain')));
  const environment = { PORTARIA_DATABASE: workspace.database };
  const running = await serve({
    ...environment,
    PORTARIA_HANDLERS: workspace.handlers,
    // Nothing listens on this port.
    PORTARIA_API_URL: 'http://127.0.0.1:10',
    PORTARIA_API_KEY: 'key',
  });

  await running.post(charge(7, 92.41));

  await allHandled(running);
  expect(workspace.recorded().toSorted()).toEqual([
    'plain true unreachable true',
    'typed true unreachable true',
  ]);
  const dead = await rows(['deliveries', 'list', '--status', 'dead'], environment);
  expect(dead.map(({ last_error: error }) => error)).toEqual(
    Array(2).fill(expect.stringContaining('nobody answers')),
  );
});

test('with --enable-source-maps, a stack trace names the sources', () => {
  const failing = `
    const { defineHandler } = await import('${dist}src/index.js');
    try { defineHandler({ name: '' }); } catch (error) { console.log(error.stack); }`;
  const trace = (...flags: string[]) =>
    execFileSync(process.execPath, [...flags, '--input-type=module', '--eval', failing], {
      encoding: 'utf8',
    });

  expect(trace('--enable-source-maps')).toMatch(/[/]src[/]handle[/]define[/]handler[.]ts:\d+:\d+/);
  expect(trace()).toMatch(/[/]dist[/](src|chunks)[/][\w/-]+[.]js:\d+:\d+/);
});

/** The code without types. */
function untyped(typescript: string): string {
  return typescript.replaceAll(/: (string|void|AbortSignal|Promise<void>)/g, '');
}
