/** Starts PostgreSQL servers for tests, the demo and the benchmark. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../bench/servers/free-port.mjs';
import { BootstrapFailure } from '../bootstrap/report.mjs';
import { postgresProgram, preparePostgres, unprivilegedUser } from './programs.mjs';
import { withinReach } from './within-reach.mjs';

/** Milliseconds for a start: recovery after a crash takes its time on a busy machine. */
const TIMEOUT_MS = 60_000;
const POLL_MS = 20;
/** Characters of what a server printed that an error has. */
const MAX_SAID = 2_000;

/**
 * @typedef {object} PostgresServer
 * @property {string} url `postgres://portaria@127.0.0.1:<port>/postgres`; the user is a superuser without a password
 * @property {string} data the data folder
 * @property {string} command starts the server again by hand, on the same port
 * @property {() => number} pid of the server's first process
 * @property {() => boolean} hasEnded whether it has ended, also by itself
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
 * Creates a cluster and starts its server. Fetches PostgreSQL if this machine has none.
 *
 * @param {ServerOptions & { readonly folder?: string }} [options] `folder` holds the data, and is of the caller; root
 *   gives it to the user that PostgreSQL runs as, who must be able to reach it
 * @returns {Promise<PostgresServer>}
 * @throws {BootstrapFailure} if there is no PostgreSQL; the message says what to do
 */
export async function startPostgresServer({ folder, ...options } = {}) {
  const missing = await preparePostgres();
  if (missing !== undefined) throw new BootstrapFailure(missing);
  const parent = folder ?? mkdtempSync(join(tmpdir(), 'portaria-postgres-'));
  const remove = () => {
    if (folder === undefined) rmSync(parent, { recursive: true, force: true });
  };
  const programs = withinReach(program('initdb'), unprivilegedUser());
  try {
    const server = await run(createCluster(parent, programs.folder), options, programs);
    return {
      ...server,
      async stop() {
        await server.stop();
        remove();
      },
    };
  } catch (error) {
    programs.remove();
    remove();
    throw error;
  }
}

/**
 * @param {string} parent a folder
 * @param {string} programs
 * @returns {string} the data folder
 */
function createCluster(parent, programs) {
  const user = unprivilegedUser();
  if (user !== undefined) chownSync(parent, user.uid, user.gid);
  chmodSync(parent, 0o700);
  const data = join(parent, 'data');
  const made = spawnSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'portaria', '-A', 'trust', '-E', 'UTF8', '--locale', 'C', '--no-sync'],
    { ...user, cwd: parent, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || String(made.error)}`);
  return data;
}

/**
 * Starts a server on a data folder that exists, for example a copy of another server's.
 *
 * @public
 * @param {string} data of the user that PostgreSQL runs as
 * @param {ServerOptions} [options]
 * @returns {Promise<PostgresServer>} `stop` leaves the data
 */
export function runPostgresServer(data, options = {}) {
  return run(data, options, withinReach(program('postgres'), unprivilegedUser()));
}

/**
 * @param {string} data
 * @param {ServerOptions} options
 * @param {ReturnType<typeof withinReach>} programs
 * @returns {Promise<PostgresServer>}
 */
async function run(data, { settings = [], start = spawn }, programs) {
  const port = await freePort();
  const own = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'log_min_messages=fatal',
  ];
  const args = ['-D', data, ...[...own, ...settings].flatMap((setting) => ['-c', setting])];

  async function launch() {
    const child = start(join(programs.folder, 'postgres'), args, {
      ...unprivilegedUser(),
      cwd: data,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(child, 'exit');
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text) => (said = `${said}${text}`.slice(-MAX_SAID)));
    for (let waited = 0; !isReady(data, child.pid); waited += POLL_MS) {
      if (child.exitCode !== null || child.signalCode !== null || waited > TIMEOUT_MS) {
        child.kill('SIGKILL');
        throw new Error(`PostgreSQL does not start: ${said || 'it is not ready in time'}`);
      }
      await pause(POLL_MS);
    }
    return { child, ended };
  }

  let server = await launch();
  const pid = () => Number(server.child.pid);
  /** @param {NodeJS.Signals} signal */
  async function end(signal) {
    server.child.kill(signal);
    await server.ended;
  }
  // A stopped server starts and forgets no process, so its children are signalled while it stands still.
  function freeze() {
    process.kill(pid(), 'SIGSTOP');
    for (const child of childrenOf(pid())) process.kill(child, 'SIGSTOP');
  }
  function thaw() {
    for (const child of childrenOf(pid())) process.kill(child, 'SIGCONT');
    process.kill(pid(), 'SIGCONT');
  }
  return {
    url: `postgres://portaria@127.0.0.1:${port}/postgres`,
    data,
    command: shellCommand(args),
    pid,
    hasEnded: () => server.child.exitCode !== null || server.child.signalCode !== null,
    // SIGQUIT is an immediate shutdown: no checkpoint, and recovery at the next start.
    crash: () => end('SIGQUIT'),
    async restart() {
      server = await launch();
    },
    freeze,
    thaw,
    // SIGTERM would wait for clients to disconnect.
    async stop() {
      await end('SIGINT');
      programs.remove();
    },
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

/** @param {readonly string[]} args */
function shellCommand(args) {
  const user = unprivilegedUser();
  const as = user === undefined ? '' : `setpriv --reuid=${user.uid} --regid=${user.gid} --clear-groups `;
  return `${as}${program('postgres')} ${args.join(' ')}`;
}

/** @param {number} pid */
function childrenOf(pid) {
  const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return listed.split(' ').filter(Boolean).map(Number);
}

/** @param {string} name */
function program(name) {
  const path = postgresProgram(name);
  if (path === undefined) throw new Error(`PostgreSQL is installed without ${name}`);
  return path;
}
