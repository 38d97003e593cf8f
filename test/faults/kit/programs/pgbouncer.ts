import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from '../../../../bench/servers/free-port.mjs';
import { unprivilegedUser } from '../../../../scripts/postgres/programs.mjs';
import { eventually } from '../../../support/eventually.ts';
import { listens } from '../open-port.ts';

/** Debian installs it where only root looks for programs. */
const places = ['pgbouncer', '/usr/sbin/pgbouncer'];

/** Returns the program, and its version such as `1.18.0`; undefined where there is none. */
export function findPgBouncer(): { readonly program: string; readonly version: string } | undefined {
  for (const program of places) {
    const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
    const version = /^PgBouncer (\S+)/u.exec(stdout)?.[1];
    if (version !== undefined) return { program, version };
  }
  return undefined;
}

/**
 * Starts PgBouncer in transaction mode before a server, until the test ends, with fewer connections to it than two
 * receivers have.
 *
 * @returns the address of the same database through it
 */
export async function startPgBouncer(database: string): Promise<string> {
  const { program } = findPgBouncer() ?? { program: 'pgbouncer' };
  const folder = mkdtempSync(join(tmpdir(), 'portaria-pgbouncer-'));
  const user = unprivilegedUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o755);
  const { port, pathname, username } = new URL(database);
  const own = String(await freePort());
  const [users, settings] = [join(folder, 'users.txt'), join(folder, 'pgbouncer.ini')];
  writeFileSync(users, `"${username}" ""\n`);
  writeFileSync(
    settings,
    `[databases]
${pathname.slice(1)} = host=127.0.0.1 port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = 6
max_client_conn = 200
`,
  );
  const child = spawn(program, ['--quiet', settings], { ...user, cwd: folder, stdio: 'ignore' });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  await eventually('PgBouncer listens', () => listens(Number(own)));
  const through = new URL(database);
  through.port = own;
  return through.href;
}
