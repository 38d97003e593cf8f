/** What a start loads, what keeps the process from starting, and what it says then. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { portaria, serve, serveForPeople } from '../support/running-portaria.ts';
import { workshop } from '../support/workshop.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0;

test('a second serve on the same database is refused by name', async () => {
  const { database } = workshop();
  await serve({ PORTARIA_DATABASE: database });

  const second = await portaria(['serve'], { PORTARIA_DATABASE: database });

  expect(second.code).not.toBe(0);
  expect(second.err).toContain(database);
});

test('the database of a process that was killed is free again', async () => {
  const { database } = workshop();
  const first = await serve({ PORTARIA_DATABASE: database });
  first.kill('SIGKILL');
  await first.ended;

  const second = await serve({ PORTARIA_DATABASE: database });
  expect(second.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/webhooks$/);
});

test('every handler file that is no good is named with its reason', async () => {
  const place = workshop();
  place.writeHandler('unparsable.ts', 'export default {');
  place.writeHandler(
    'unknown-kind.ts',
    `import { defineHandler } from 'portaria';
    export default defineHandler({ name: 'unknown-kind', on: 'charge.vanished', handle() {} });`,
  );
  place.writeHandler(
    'good.mjs',
    `import { defineHandler } from 'portaria';
    export default defineHandler({ name: 'good', on: 'charge.*', handle() {} });`,
  );

  const { code, err } = await portaria(['serve'], {
    PORTARIA_DATABASE: place.database,
    PORTARIA_HANDLERS: place.handlers,
  });

  expect(code).toBe(4);
  expect(err).toMatch(/unparsable\.ts: \S/);
  expect(err).toMatch(/unknown-kind\.ts: .*charge\.vanished/);
  expect(err).not.toContain('good.mjs');
});

test('all mistakes of the configuration are told at once, each with its setting', async () => {
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
});

test.skipIf(!hasCurl)(
  'the line it offers to paste is accepted as it stands, and again is a duplicate',
  async () => {
    const { database } = workshop();
    const { curlLine } = await serveForPeople({ PORTARIA_DATABASE: database });

    const paste = () => execFileSync('sh', ['-c', curlLine], { encoding: 'utf8' });

    expect(paste()).toMatch(/^\{"status":"accepted",.*\} 202\n$/);
    expect(paste()).toMatch(/^\{"status":"duplicate",.*\} 200\n$/);
  },
);

describe('loads', () => {
  test('nothing that only other commands, people or handlers of one’s own need, and few files', async () => {
    const { database, folder } = workshop();
    const running = await serve({ PORTARIA_DATABASE: database, NODE_V8_COVERAGE: folder });
    running.kill('SIGTERM');
    await running.ended;

    const threads = loadedBy(folder);
    const loaded = threads.flat();
    const ofCommands = loaded.filter((url) => url.includes('/dist/src/cli/commands/'));
    expect(ofCommands).not.toEqual([]);
    expect(ofCommands.filter((url) => !url.includes('/commands/serve/'))).toEqual([]);
    const libraries = ['jiti', 'pino-pretty', 'cli-table3', 'cli-progress'];
    expect(loaded.filter((url) => libraries.some((name) => url.includes(`/node_modules/${name}/`)))).toEqual(
      [],
    );
    // The one that was started ahead is the one that writes.
    expect(loaded.filter((url) => url.endsWith('/thread/writer-thread.js'))).toHaveLength(1);
    // The program, the thread that writes, and perhaps the one that moves the log. Each file costs half a millisecond.
    const [program = 0, ...others] = threads.map((urls) => urls.length).sort((one, other) => other - one);
    expect(program).toBeLessThan(100);
    expect(others.filter((files) => files >= 30)).toEqual([]);
  });

  test('nothing of the receiver for a command that only looks', async () => {
    const { database, folder } = workshop();
    const running = await serve({ PORTARIA_DATABASE: database });

    const { code } = await portaria(['stats'], { PORTARIA_DATABASE: database, NODE_V8_COVERAGE: folder });

    running.kill('SIGTERM');
    expect(code).toBe(0);
    const loaded = loadedBy(folder).flat();
    expect(loaded.filter((url) => url.includes('/dist/src/cli/commands/'))).toHaveLength(1);
    expect(loaded.filter(isReceiver)).toEqual([]);
    expect(loaded.length).toBeLessThan(70);
  });

  test('nothing of the receiver, and in no second thread, to explain itself', async () => {
    const { folder } = workshop();

    const { code, out } = await portaria(['serve', '--help'], { NODE_V8_COVERAGE: folder });

    expect(code).toBe(0);
    expect(out).toContain('receive webhooks');
    const [loaded = [], ...others] = loadedBy(folder);
    expect(loaded.filter(isReceiver)).toEqual([]);
    expect(others).toEqual([]);
  });
});

const isReceiver = (url: string) =>
  /[/]dist[/](src[/]compose|node_modules[/](hono|pino|prom-client|p-queue)[/])/.test(url);

/** The files that each thread of a process has loaded: Node itself wrote them down, at its end. */
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
