import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';

export const repository = fileURLToPath(new URL('../../', import.meta.url));

/** A process that an example started. */
export interface RunningExample {
  /** Its output so far, standard error included. */
  readonly output: () => string;
  /** Waits for a match in its output. Rejects with the output if the process ends first. */
  matches(pattern: RegExp): Promise<RegExpExecArray>;
}

/** A copy of an example, in which the packed package is installed as npm would install it. */
export interface ExampleProject {
  /** Runs a program to its end and returns its output. Throws if it fails. */
  run(command: string, args: readonly string[]): string;
  /** Starts a program that runs until the test has finished. */
  start(command: string, args: readonly string[], env?: Readonly<Record<string, string>>): RunningExample;
  /** Starts `portaria serve` on free ports and resolves with the URLs that it printed, for webhooks and operators. */
  serve(
    env?: Readonly<Record<string, string>>,
  ): Promise<{ listening: string; operators: string; output: () => string }>;
  /** Runs a command of the command line on the database of `serve`. */
  portaria(...args: readonly string[]): string;
}

/** Copies an example to a temporary folder and installs the packed package in it, without a network. */
export function openExample(name: string): ExampleProject {
  const folder = temporaryFolder();
  cpSync(join(repository, 'examples', name), folder, { recursive: true });
  symlinkSync(installedModules(), join(folder, 'node_modules'));
  return projectAt(folder);
}

/** Returns a folder that is removed when the test has finished. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-example-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Runs programs in a project's folder. */
export function projectAt(folder: string): ExampleProject {
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: join(inject('packedFolder'), 'compiled'),
    PORTARIA_DATABASE: join(folder, 'data', 'portaria.db'),
  };
  const program = join(folder, 'node_modules', 'portaria', 'dist', 'src', 'cli', 'main.js');

  const start: ExampleProject['start'] = (command, args, more = {}) =>
    observe(
      spawn(command, args, { cwd: folder, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
  const run: ExampleProject['run'] = (command, args) => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`);
    return stdout;
  };
  return {
    run,
    start,
    async serve(more) {
      const ports = { PORTARIA_PORT: '0', PORTARIA_OPS_PORT: '0', PORTARIA_LOG_FORMAT: 'json' };
      const { matches, output } = start(process.execPath, [program, 'serve'], { ...ports, ...more });
      const [line] = await matches(/^.*"listening":.*$/mu);
      return { ...(JSON.parse(line) as { listening: string; operators: string }), output };
    },
    portaria: (...args) => run(process.execPath, [program, ...args]),
  };
}

/** Returns the path of the tarball that npm would publish. The first who needs it packs it for all files. */
function packedPackage(): string {
  const folder = inject('packedFolder');
  const name = readdirSync(folder).find((each) => each.endsWith('.tgz')) ?? packInto(folder);
  return join(folder, name);
}

function packInto(folder: string, source = repository): string {
  // Another process may pack at the same time: a tarball appears whole.
  const own = mkdtempSync(join(folder, 'packing-'));
  const name = execFileSync(
    'npm',
    ['pack', source, '--ignore-scripts', '--loglevel=error', '--pack-destination', own],
    { cwd: repository, encoding: 'utf8' },
  ).trim();
  renameSync(join(own, name), join(folder, name));
  return name;
}

/** Returns a project with the packed package, and beside it the packed one of the provider. */
export function openWithProvider(): ExampleProject {
  const folder = temporaryFolder();
  const modules = join(folder, 'node_modules');
  cpSync(installedModules(), modules, { recursive: true, verbatimSymlinks: true });
  unpack(
    join(folder, packInto(folder, join(repository, 'provider'))),
    join(modules, '@portaria', 'provider'),
  );
  return projectAt(folder);
}

function unpack(tarball: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', folder]);
}

/**
 * Returns a `node_modules` with the packed package alone, as npm would install it. The first who needs it makes it for
 * all files.
 */
export function installedModules(): string {
  const modules = join(inject('packedFolder'), 'node_modules');
  if (!existsSync(modules)) installInto(modules);
  return modules;
}

function installInto(modules: string): void {
  // Another process may install at the same time: the folder appears whole, and either will do.
  const own = mkdtempSync(join(dirname(modules), 'installing-'));
  unpack(packedPackage(), join(own, 'portaria'));
  for (const dependency of packagesIn(join(repository, 'node_modules'))) {
    mkdirSync(dirname(join(own, dependency)), { recursive: true });
    symlinkSync(join(repository, 'node_modules', dependency), join(own, dependency));
  }
  try {
    renameSync(own, modules);
  } catch (error) {
    if (!existsSync(modules)) throw error;
  }
}

function packagesIn(modules: string): readonly string[] {
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.') && name !== '@portaria')
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((part) => `${name}/${part}`) : [name],
    );
}

function observe(child: ChildProcess): RunningExample {
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  let closed = false;
  child.once('close', () => (closed = true));
  return {
    output: () => output,
    matches: (pattern) =>
      eventually(`the output matches ${String(pattern)}`, () => {
        const match = pattern.exec(output);
        if (match === null && closed) throw new Error(`the process ended; its output:\n${output}`);
        return match ?? undefined;
      }),
  };
}
