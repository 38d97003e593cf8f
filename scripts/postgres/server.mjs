/** Starts PostgreSQL servers for tests, the demo and the benchmark. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../bench/servers/free-port.mjs';
import { needsPostgres, postgresProgram, unprivilegedUser } from './programs.mjs';

/** Milliseconds for a start: recovery after a crash takes its time on a busy machine. */
const TIMEOUT_MS = 60_000;
const POLL_MS = 20;

/**
 * @typedef {object} PostgresServer
 * @property {string} url `postgres://portaria@127.0.0.1:<port>/postgres`; the user is a superuser without a password
 * @property {string} data the data folder
 * @property {() => Promise<void>} crash ends the server without a checkpoint; its data stays
 * @property {() => Promise<void>} restart starts it again after a crash, at the same address
 * @property {() => void} freeze stops all its processes (SIGSTOP), so that it accepts connections and responds to none
 * @property {() => void} thaw
 * @property {() => Promise<void>} stop ends the server, and removes its data unless the folder was given
 *
 * @typedef {object} ServerOptions
 * @property {readonly string[]} [settings] of the server, for example `fsync=off`
 * @property {(command: string, args: readonly string[], options: import('node:child_process').SpawnOptions) =>
 *   import('node:child_process').ChildProcess} [start] starts the process, for example one that ends with its parent
 */

/**
 * Creates a cluster and starts its server.
 *
 * @param {ServerOptions & { readonly folder?: string }} [options] `folder` holds the data, and is of the caller; root
 *   gives it to the user that PostgreSQL runs as, who must be able to reach it
 * @returns {Promise<PostgresServer>}
 */
export async function startPostgresServer({ folder, ...options } = {}) {
  const parent = folder ?? mkdtempSync(join(tmpdir(), 'portaria-postgres-'));
  const user = unprivilegedUser();
  if (user !== undefined) chownSync(parent, user.uid, user.gid);
  chmodSync(parent, 0o700);
  const data = join(parent, 'data');
  const made = spawnSync(
    program('initdb'),
    ['-D', data, '-U', 'portaria', '-A', 'trust', '-E', 'UTF8', '--locale', 'C', '--no-sync'],
    { ...user, cwd: parent, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || String(made.error)}`);
  const server = await runPostgresServer(data, options);
  return {
    ...server,
    async stop() {
      await server.stop();
      if (folder === undefined) rmSync(parent, { recursive: true, force: true });
    },
  };
}

/**
 * Starts a server on a data folder that exists, for example a copy of another server's.
 *
 * @param {string} data of the user that PostgreSQL runs as
 * @param {ServerOptions} [options]
 * @returns {Promise<PostgresServer>} `stop` leaves the data
 */
export async function runPostgresServer(data, { settings = [], start = spawn } = {}) {
  const port = await freePort();
  const own = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'log_min_messages=fatal',
  ];
  const args = ['-D', data, ...[...own, ...settings].flatMap((setting) => ['-c', setting])];

  async function run() {
    const child = start(program('postgres'), args, { ...unprivilegedUser(), cwd: data, stdio: 'ignore' });
    const ended = once(child, 'exit');
    for (let waited = 0; !isReady(data, child.pid); waited += POLL_MS) {
      if (child.exitCode !== null || waited > TIMEOUT_MS)
        throw new Error(`PostgreSQL does not start: run it by hand to see why: postgres ${args.join(' ')}`);
      await pause(POLL_MS);
    }
    return { child, ended };
  }

  let server = await run();
  /** @param {NodeJS.Signals} signal */
  async function end(signal) {
    server.child.kill(signal);
    await server.ended;
  }
  /** @param {NodeJS.Signals} signal */
  function signalAll(signal) {
    const pid = Number(server.child.pid);
    // The first one starts the others: once it stands still, there are no new ones.
    process.kill(pid, signal);
    for (const child of readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' '))
      process.kill(Number(child), signal);
  }
  return {
    url: `postgres://portaria@127.0.0.1:${port}/postgres`,
    data,
    // SIGQUIT is an immediate shutdown: no checkpoint, and recovery at the next start.
    crash: () => end('SIGQUIT'),
    async restart() {
      server = await run();
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    // SIGTERM would wait for clients to disconnect.
    stop: () => end('SIGINT'),
  };
}

/**
 * Whether the server of this process accepts connections. It says so in the last line of its file.
 *
 * @param {string} data
 * @param {number | undefined} pid a server that was killed leaves its file
 */
function isReady(data, pid) {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
    return Number(lines[0]) === pid && ['ready', 'standby'].includes(lines[7]?.trim() ?? '');
  } catch {
    return false;
  }
}

/** @param {string} name */
function program(name) {
  const path = postgresProgram(name);
  if (path === undefined) throw new Error(needsPostgres() ?? `PostgreSQL is installed without ${name}`);
  return path;
}
