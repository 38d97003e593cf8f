/** Starting: the errors that prevent it, and the modules that it loads. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { allHandled } from '../faults/kit/statistics.ts';
import { fixture } from '../support/webhooks/fixtures.ts';
import { portaria, serve, serveForPeople } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0;

test('a second serve on the same database fails and names the database, until the first one is killed', async () => {
  const { database } = createWorkspace();
  const first = await serve({ PORTARIA_DATABASE: database });

  const second = await portaria(['serve'], { PORTARIA_DATABASE: database });

  expect(second.code).not.toBe(0);
  expect(second.err).toContain(database);
  first.kill('SIGKILL');
  await first.ended;

  // The third loads the shipped handlers.
  const third = await serve({ PORTARIA_DATABASE: database });
  expect((await third.post(fixture('company.login.started'))).status).toBe(202);
  await allHandled(third);
  const machines = await fetch(new URL('/api/machines', third.operators));
  expect(await machines.json()).toMatchObject({
    data: [{ machine: 'login-attempt', subject: 'company-login:12' }],
  });
});

test('reports every invalid setting, and names every invalid handler file with the reason', async () => {
  const workspace = createWorkspace();
  const { code, err } = await portaria(['serve'], {
    PORTARIA_PORT: 'http',
    PORTARIA_HOST: '0.0.0.0',
    PORTARIA_CONCURRENCY: '0',
    PORTARIA_ON_INVALID: 'ignore',
    PORTARIA_HANDLERS: '/nowhere/to/be/found',
  });
  expect(code).toBe(4);
  for (const setting of ['PORT', 'VERIFY', 'CONCURRENCY', 'ON_INVALID', 'HANDLERS'])
    expect(err).toContain(`PORTARIA_${setting}`);

  workspace.writeHandler('unparsable.ts', 'export default {');
  const defined = (name: string, on: string) => `import { defineHandler } from 'portaria';
    export default defineHandler({ name: '${name}', on: '${on}', handle() {} });`;
  workspace.writeHandler('unknown-kind.ts', defined('unknown-kind', 'charge.vanished'));
  workspace.writeHandler('good.mjs', defined('good', 'charge.*'));
  const loading = await portaria(['serve'], workspace.settings);
  expect(loading.code).toBe(4);
  expect(loading.err).toMatch(/unparsable\.ts: \S/);
  expect(loading.err).toMatch(/unknown-kind\.ts: .*charge\.vanished/);
  expect(loading.err).not.toContain('good.mjs');
});

test.skipIf(!hasCurl)(
  'the line it offers to paste is accepted as it stands, and again is a duplicate',
  async () => {
    const { database } = createWorkspace();
    const { curlLine } = await serveForPeople({ PORTARIA_DATABASE: database });

    const paste = () => execFileSync('sh', ['-c', curlLine], { encoding: 'utf8' });

    expect(paste()).toMatch(/^\{"status":"accepted",.*\} 202\n$/);
    expect(paste()).toMatch(/^\{"status":"duplicate",.*\} 200\n$/);
  },
);

describe('loads only needed modules', () => {
  test('serve loads nothing that only other commands, pretty logs, user handlers or PostgreSQL need, and a read-only command nothing of the receiver', async () => {
    const { database, folder } = createWorkspace();
    const [byServe, byStats] = [join(folder, 'serve'), join(folder, 'stats')];
    const running = await serve({ PORTARIA_DATABASE: database, NODE_V8_COVERAGE: byServe });
    // At once: the console and what runs jobs are loaded after the start.
    running.kill('SIGTERM');
    await running.ended;
    const stats = await portaria(['stats'], { PORTARIA_DATABASE: database, NODE_V8_COVERAGE: byStats });
    expect(stats.code).toBe(0);

    const threads = loadedBy(byServe);
    const loaded = threads.flat();
    const ofCommands = sourcesOf(loaded).filter((source) => source.includes('/src/cli/commands/'));
    expect(ofCommands).not.toEqual([]);
    expect(ofCommands.filter((source) => !source.includes('/commands/serve/'))).toEqual([]);
    const libraries = ['jiti', 'pino-pretty', 'cli-table3', 'cli-progress', 'pg', 'pg-pool', 'pg-protocol'];
    expect(loaded.filter((url) => libraries.some((name) => url.includes(`/node_modules/${name}/`)))).toEqual(
      [],
    );
    // A copy of its API is installed beside prom-client.
    expect(loaded.filter((url) => url.includes('@opentelemetry'))).toEqual([]);
    // The prewarmed thread is the writer thread.
    expect(loaded.filter((url) => url.endsWith('/thread/writer-thread.js'))).toHaveLength(1);
    // The program, the thread that writes, and perhaps the one that moves the log. Each file costs half a millisecond.
    const [program = 0, ...others] = threads.map((urls) => urls.length).sort((one, other) => other - one);
    expect(program).toBeLessThan(165);
    expect(others.filter((files) => files >= 40)).toEqual([]);

    const loadedByStats = loadedBy(byStats).flat();
    const sources = sourcesOf(loadedByStats);
    expect(sources.filter((source) => source.includes('/src/cli/commands/'))).toHaveLength(1);
    expect(sources.filter(isReceiver)).toEqual([]);
    expect(loadedByStats.length).toBeLessThan(95);
  });

  test('--help loads nothing of the receiver and starts no thread', async () => {
    const { folder } = createWorkspace();

    const { code, out } = await portaria(['serve', '--help'], { NODE_V8_COVERAGE: folder });

    expect(code).toBe(0);
    expect(out).toContain('receive webhooks');
    const [loaded = [], ...others] = loadedBy(folder);
    expect(sourcesOf(loaded).filter(isReceiver)).toEqual([]);
    expect(others).toEqual([]);
  });
});

const isReceiver = (source: string) =>
  /[/]src[/]compose[.]ts$|[/]node_modules[/](hono|pino|prom-client|p-queue)[/]/.test(source);

/** The sources in built files, by their source maps: the bundler chooses the names of the files. */
function sourcesOf(loaded: readonly string[]): readonly string[] {
  return loaded.flatMap((url) => {
    const map = `${fileURLToPath(url)}.map`;
    if (!existsSync(map)) return [];
    const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { readonly sources: readonly string[] };
    return sources.map((source) => resolve(map, '..', source));
  });
}

/** The files that each thread of a process has loaded, as Node wrote them down at its end. */
function loadedBy(folder: string): readonly (readonly string[])[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith('coverage-'))
    .map((name) => {
      const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
        result: { url: string }[];
      };
      return result.map(({ url }) => url).filter((url) => url.startsWith('file:'));
    });
}
