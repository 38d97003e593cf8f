import { spawnSync } from 'node:child_process';
import { chmod, chown } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findProgram } from '../load/find-program.mjs';
import { freePort } from './free-port.mjs';

/** Milliseconds for a start. */
const TIMEOUT_MS = 20_000;

/**
 * Starts PostgreSQL with its defaults (fsync on), in a folder of its own. Undefined if
 * it is not installed.
 *
 * @param {import('../lifetime/supervisor.mjs').Supervisor} supervisor
 * @returns {Promise<{ address: string, stop: () => Promise<void> } | undefined>}
 */
export async function startPostgres(supervisor) {
  const [initdb, postgres, isReady] = ['initdb', 'postgres', 'pg_isready'].map(findProgram);
  if (initdb === undefined || postgres === undefined || isReady === undefined) return undefined;
  const folder = await supervisor.folder('postgres');
  const user = unprivilegedUser();
  if (user !== undefined) {
    await chown(folder, user.uid, user.gid);
    await chmod(supervisor.root, 0o711);
  }
  const data = join(folder, 'data');
  const made = spawnSync(initdb, ['-D', data, '-U', 'bench', '-A', 'trust', '--no-instructions'], {
    ...user,
    cwd: folder,
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || String(made.error)}`);
  const port = await freePort();
  const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-c', 'log_min_messages=fatal'];
  const child = supervisor.start(postgres, args, {
    ...user,
    cwd: folder,
    stdio: 'ignore',
  });
  await untilReady(isReady, port, child);
  return {
    address: `postgres://bench@127.0.0.1:${port}/postgres`,
    // SIGTERM would wait for clients to disconnect.
    stop: () => supervisor.stop(child, 'SIGINT'),
  };
}

/**
 * Waits until PostgreSQL accepts connections; it listens before that.
 *
 * @param {string} program
 * @param {number} port
 * @param {import('node:child_process').ChildProcess} child
 */
async function untilReady(program, port, child) {
  for (let waited = 0; waited < TIMEOUT_MS && child.exitCode === null; waited += 50) {
    if (spawnSync(program, ['-q', '-h', '127.0.0.1', '-p', String(port)]).status === 0) return;
    await pause(50);
  }
  throw new Error('PostgreSQL does not listen');
}

/** PostgreSQL does not run as root, so root runs it as another user. */
function unprivilegedUser() {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = ['-u', '-g'].map((flag) => idOf('postgres', flag) ?? idOf('nobody', flag) ?? 65_534);
  return /** @type {{ uid: number, gid: number }} */ ({ uid, gid });
}

/**
 * @param {string} name
 * @param {string} flag
 */
function idOf(name, flag) {
  const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' });
  return status === 0 ? Number(stdout) : undefined;
}
