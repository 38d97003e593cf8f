#!/usr/bin/env node
/**
 * Installs the package as a stranger does, in a new project, and tries it: every entry point loads, `serve` starts, the
 * curl line that it prints is accepted and then a duplicate, the command line shows the event, and it stops. Needs
 * Node.js, npm and the registry alone; the workflow of a release runs it on every platform.
 *
 *   node scripts/try-tarball.mjs [portaria-<version>.tgz]   # without one, that of `npm pack` in this clone
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Ends a hang. */
const DEADLINE_MS = 120_000;
const isWindows = process.platform === 'win32';

const folder = mkdtempSync(join(tmpdir(), 'portaria-tarball-'));
const env = {
  ...process.env,
  // npm takes the first Node.js of PATH.
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  PORTARIA_DATABASE: join(folder, 'data', 'portaria.db'),
  PORTARIA_PORT: '0',
  PORTARIA_OPS_PORT: '0',
  PORTARIA_LOG_FORMAT: 'pretty',
};
try {
  await tryTarball(process.argv[2] === undefined ? pack() : resolve(process.argv[2]));
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** @param {string} tarball */
async function tryTarball(tarball) {
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  // No package of a production install needs a script or a compiler.
  npm(folder, 'install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', tarball);
  const installed = join(folder, 'node_modules', 'portaria');
  const { version, exports } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  const names = Object.keys(exports).filter((path) => !path.endsWith('.json') && !path.includes('*'));
  const imports = names.map((path) => `await import(${JSON.stringify(path.replace('.', 'portaria'))});`);
  node('--input-type=module', '--eval', [...imports, "await import('portaria/handlers/forward');"].join(''));

  const program = join(installed, 'dist', 'src', 'cli', 'main.js');
  const serving = spawn(process.execPath, [program, 'serve'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 2],
  });
  try {
    const { url, headers, body } = readCurl(await printedCurl(serving));
    for (const expected of ['accepted', 'duplicate']) {
      const response = await fetch(url, { method: 'POST', headers, body });
      const { status } = /** @type {{ status?: string }} */ (await response.json());
      if (status !== expected) throw new Error(`a webhook is ${status}, not ${expected}`);
    }
    const list = () => JSON.parse(node(program, 'events', 'list', '--json'));
    const deadline = Date.now() + DEADLINE_MS;
    while (list().outcome !== 'succeeded') {
      if (Date.now() > deadline) throw new Error(`the event is not handled: ${JSON.stringify(list())}`);
      await pause(100);
    }
    node(program, 'doctor');
    serving.kill('SIGTERM');
    const [code] = serving.exitCode === null ? await once(serving, 'close') : [serving.exitCode];
    // Windows has no SIGTERM.
    if (code !== 0 && !isWindows) throw new Error(`serve ended with ${code}`);
  } finally {
    serving.kill('SIGKILL');
  }
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  console.log(
    `portaria ${version} on Node.js ${process.versions.node}, ${process.platform} ${process.arch}: ${Object.keys(packages).length - 1} packages installed; a webhook is accepted, recognised and handled`,
  );
}

function pack() {
  const clone = resolve(import.meta.dirname, '..');
  if (!existsSync(join(clone, 'dist'))) throw new Error('dist is missing: run `npm run build`');
  const packed = npm(clone, 'pack', '--ignore-scripts', '--json', '--pack-destination', folder);
  return join(folder, JSON.parse(packed)[0].filename);
}

/**
 * @param {import('node:child_process').ChildProcess} serving
 * @returns {Promise<string>} the line that it offers to paste
 */
function printedCurl(serving) {
  return new Promise((settle, reject) => {
    let written = '';
    serving.stdout?.setEncoding('utf8').on('data', (text) => {
      written += text;
      const line = /^ +curl .*\n/mu.exec(written)?.[0];
      if (line !== undefined) settle(line);
    });
    serving.once('close', (code) => reject(new Error(`serve ended with ${code}:\n${written}`)));
    setTimeout(() => reject(new Error(`serve prints no curl line:\n${written}`)), DEADLINE_MS).unref();
  });
}

/**
 * What the line posts. Images without curl, and shells with other quotes, post the same by fetch.
 *
 * @param {string} line
 */
function readCurl(line) {
  const words = Array.from(
    line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/gu),
    ([, one, two, three]) => one ?? two ?? three,
  );
  const after = (/** @type {string} */ flag) => words.filter((_, at) => words[at - 1] === flag);
  const headers = after('-H').map((header = '') => /** @type {[string, string]} */ (header.split(': ')));
  const url = words.find((word) => word?.startsWith('http'));
  if (url === undefined) throw new Error(`the line has no address: ${line}`);
  return { url, headers, body: after('-d')[0] ?? '' };
}

/** @param {readonly string[]} args */
function node(...args) {
  return run(process.execPath, args, { cwd: folder });
}

/**
 * @param {string} cwd
 * @param {readonly string[]} args
 */
function npm(cwd, ...args) {
  return run('npm', args, { cwd, shell: isWindows });
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, shell?: boolean }} options
 */
function run(command, args, options) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { ...options, env, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  return stdout;
}
