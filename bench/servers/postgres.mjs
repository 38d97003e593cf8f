import { spawnSync } from 'node:child_process';
import { chmod, chown } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findProgram } from '../load/find-program.mjs';
import { freePort } from './free-port.mjs';
import { untilConnected } from './until-connected.mjs';

/**
 * PostgreSQL as it comes, so with fsync, in a folder of its own, or undefined
 * where there is none.
 *
 * @param {import('../lifetime/keeper.mjs').Keeper} keeper
 * @returns {Promise<{ address: string, stop: () => Promise<void> } | undefined>}
 */
export async function startPostgres(keeper) {
  const initdb = findProgram('initdb');
  if (initdb === undefined) return undefined;
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
  const child = keeper.start(join(dirname(initdb), 'postgres'), args, {
    ...user,
    cwd: folder,
    stdio: 'ignore',
  });
  await untilConnected(port, child);
  return {
    address: `postgres://bench@127.0.0.1:${port}/postgres`,
    // The polite SIGTERM waits for clients to leave.
    stop: () => keeper.stop(child, 'SIGINT'),
  };
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
