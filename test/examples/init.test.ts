/** `portaria init` writes a project that installs, compiles, passes its test and runs. */
import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import {
  installedModules,
  projectAt,
  repository,
  temporaryFolder,
  type ExampleProject,
} from './example-project.ts';

interface PackageFile {
  readonly scripts: Readonly<Record<string, string>>;
  dependencies: Readonly<Record<string, string>>;
  devDependencies: Readonly<Record<string, string>>;
  overrides?: Readonly<Record<string, string>>;
}

const readPackage = (folder: string): PackageFile =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageFile;

/**
 * Installs without a registry, as npm itself does it: development packages and the dependencies of
 * a tarball are links to those of the clone.
 */
function install(folder: string): void {
  const link = (name: string) => `file:${join(repository, 'node_modules', name)}`;
  const content = readPackage(folder);
  content.devDependencies = { typescript: link('@typescript/native'), '@types/node': link('@types/node') };
  const names = Object.keys(readPackage(repository).dependencies);
  content.overrides = Object.fromEntries(names.map((name) => [name, link(name)]));
  writeFileSync(join(folder, 'package.json'), JSON.stringify(content));
  const cache = join(folder, '..', 'cache');
  execFileSync('npm', ['install', '--offline', '--ignore-scripts', '--loglevel=error', '--cache', cache], {
    cwd: folder,
  });
}

test('a project that a clone writes installs offline, compiles, passes its test, and its handlers run', async () => {
  const folder = join(temporaryFolder(), 'my-handlers');
  execFileSync(process.execPath, [join(repository, 'dist/src/cli/main.js'), 'init', folder]);
  expect(readPackage(folder).dependencies).toEqual({ portaria: `file:${relative(folder, repository)}` });

  install(folder);
  const project = projectAt(folder);
  // The types of Portaria pass, too.
  project.run('npm', ['run', 'typecheck', '--', '--skipLibCheck', 'false']);
  expect(project.run('npm', ['test'])).toMatch(/pass 3\b[^]*fail 0\b/);

  const url = await start(project, readPackage(folder).scripts['start']);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'charge.updated', data: { id: 7, type: 'fee', status: 'overdue' } }),
  });
  expect(response.status).toBe(202);

  await eventually('both have handled the event', () => {
    const rows = linesOf(project.portaria('deliveries', 'list', '--status', 'succeeded', '--json'));
    return rows.length === 2 && rows;
  });
  const handlers = project.portaria('handlers', 'list', '--kind', 'charge.updated', '--json');
  expect(linesOf(handlers)).toMatchObject([{ handlers: ['charge-status', 'overdue-charges'] }]);
  const [state] = linesOf(project.portaria('machines', 'list', '--json'));
  expect(state).toMatchObject({ machine: 'charge-status', subject: 'charge:7' });
});

test.each([
  ['hono', 'TypeScript'],
  ['fastify', 'TypeScript'],
  ['express', 'JavaScript'],
])(
  'an application with %s in %s compiles, passes its test and receives webhooks',
  async (framework, language) => {
    const folder = join(temporaryFolder(), 'app');
    const flags = ['--with', framework, ...(language === 'JavaScript' ? ['--javascript'] : [])];
    execFileSync(process.execPath, [join(repository, 'dist/src/cli/main.js'), 'init', folder, ...flags]);
    symlinkSync(installedModules(), join(folder, 'node_modules'));
    const project = projectAt(folder);
    const { scripts, dependencies } = readPackage(folder);
    const { portaria: _, ...others } = dependencies;
    const own = readPackage(repository);
    expect({ ...own.devDependencies, ...own.dependencies }, 'tested versions').toMatchObject(others);
    if (language === 'TypeScript') project.run('node', ['node_modules/@typescript/native/bin/tsc']);
    expect(project.run('npm', ['test'])).toMatch(/pass 3\b[^]*fail 0\b/);

    const port = await freePort();
    const [command = '', ...args] = (scripts['start'] ?? '').split(' ');
    const { matches } = project.start(command, args, { PORT: String(port) });
    await matches(/The application: http/);
    const url = `http://127.0.0.1:${String(port)}`;
    expect(await (await fetch(url)).text()).toBe('The application');
    const body = JSON.stringify({ type: 'charge.updated', data: { id: 7, type: 'fee', status: 'overdue' } });
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(`${url}/webhooks`, { method: 'POST', headers, body })).status).toBe(202);
    await eventually('both have handled the event', () => {
      const rows = linesOf(project.portaria('deliveries', 'list', '--status', 'succeeded', '--json'));
      return rows.length === 2 && rows;
    });
  },
);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}

/** Runs the start script without npm, whose end would leave the program running. */
async function start(project: ExampleProject, script = ''): Promise<string> {
  const [command = '', ...args] = script.split(' ');
  const env = { PORTARIA_PORT: '0', PORTARIA_OPS_PORT: '0', PORTARIA_LOG_FORMAT: 'json' };
  const { matches } = project.start(command, args, env);
  const [, url = ''] = await matches(/"listening":"([^"]+)"/);
  return url;
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
