import { spawnSync } from 'node:child_process';
import { chmod, chown } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findProgram } from '../load/find-program.mjs';
import { freePort } from './free-port.mjs';

/** How long it may take to start, in milliseconds. */
const PATIENCE_MS = 20_000;

/**
 * PostgreSQL as it comes, so with fsync, in a folder of its own, or undefined
 * where there is none.
 *
 * @param {import('../lifetime/keeper.mjs').Keeper} keeper
 * @returns {Promise<{ address: string, stop: () => Promise<void> } | undefined>}
 */
export async function startPostgres(keeper) {
  const [initdb, postgres, isReady] = ['initdb', 'postgres', 'pg_isready'].map(findProgram);
  if (initdb === undefined || postgres === undefined || isReady === undefined) return undefined;
  const folder = await keeper.folder('postgres');
  const user = unprivilegedUser();
  if (user !== undefined) {
    await chown(folder, user.uid, user.gid);
    await chmod(keeper.root, 0o711);
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
  const child = keeper.start(postgres, args, {
    ...user,
    cwd: folder,
    stdio: 'ignore',
  });
  await untilReady(isReady, port, child);
  return {
    address: `postgres://bench@127.0.0.1:${port}/postgres`,
    // The polite SIGTERM waits for clients to leave.
    stop: () => keeper.stop(child, 'SIGINT'),
  };
}

/**
 * It listens before it takes anybody in.
 *
 * @param {string} program
 * @param {number} port
 * @param {import('node:child_process').ChildProcess} child
 */
async function untilReady(program, port, child) {
  for (let waited = 0; waited < PATIENCE_MS && child.exitCode === null; waited += 50) {
    if (spawnSync(program, ['-q', '-h', '127.0.0.1', '-p', String(port)]).status === 0) return;
    await pause(50);
  }
  throw new Error('PostgreSQL does not listen');
}

/** PostgreSQL refuses to run as root: then it runs as somebody else. */
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
