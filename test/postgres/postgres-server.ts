/** Starts a PostgreSQL server for tests, on a machine that has its programs. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds for a start. */
const TIMEOUT_MS = 30_000;
const POLL_MS = 50;

export interface PostgresServer {
  /** `postgres://portaria@127.0.0.1:<port>/postgres` */
  readonly url: string;
  /** Ends the server as a crash does: without a checkpoint. Its data stays. */
  crash(): Promise<void>;
  /** Starts the server again after a crash, at the same address. */
  restart(): Promise<void>;
  /** Ends the server, and removes its data. */
  stop(): Promise<void>;
}

/** @param settings of the server, for example `fsync=off` */
export async function startPostgresServer(settings: readonly string[] = []): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-postgres-'));
  const user = unprivilegedUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o700);
  const data = join(folder, 'data');
  const options = { ...user, cwd: folder, encoding: 'utf8' as const };
  const made = spawnSync(
    program('initdb'),
    ['-D', data, '-U', 'portaria', '-A', 'trust', '-E', 'UTF8', '--locale', 'C', '--no-sync'],
    options,
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const port = await freePort();
  const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-c', 'log_min_messages=fatal'];
  const isReady = () =>
    spawnSync(program('pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)]).status === 0;

  async function start(): Promise<{ readonly child: ChildProcess; readonly ended: Promise<void> }> {
    const child = spawn(program('postgres'), [...args, ...settings.flatMap((setting) => ['-c', setting])], {
      ...user,
      cwd: folder,
      stdio: 'ignore',
    });
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => {
        resolve();
      });
    });
    for (let waited = 0; !isReady(); waited += POLL_MS) {
      if (child.exitCode !== null || waited > TIMEOUT_MS) throw new Error('PostgreSQL does not start');
      await pause(POLL_MS);
    }
    return { child, ended };
  }

  let server = await start();
  async function end(signal: NodeJS.Signals): Promise<void> {
    server.child.kill(signal);
    await server.ended;
  }
  return {
    url: `postgres://portaria@127.0.0.1:${String(port)}/postgres`,
    // SIGQUIT is an immediate shutdown: no checkpoint, and recovery at the next start.
    crash: () => end('SIGQUIT'),
    async restart() {
      server = await start();
    },
    async stop() {
      // SIGTERM would wait for clients to disconnect.
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Why no server can be started here; undefined when one can. */
export function needsPostgres(): string | undefined {
  return find('initdb') === undefined
    ? 'PostgreSQL is not installed: install it (apt-get install postgresql), or set PORTARIA_TEST_POSTGRES'
    : undefined;
}

function program(name: string): string {
  const found = find(name);
  if (found === undefined)
    throw new Error(`${name} is missing: install PostgreSQL, or set PORTARIA_TEST_POSTGRES`);
  return found;
}

function find(name: string): string | undefined {
  return folders()
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

/** Debian keeps the programs of a server outside PATH, by version. */
function folders(): readonly string[] {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted().toReversed() : [];
  return [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...versions.map((version) => join(debian, version, 'bin')),
  ];
}

/** PostgreSQL does not run as root, so root runs it as another user. */
function unprivilegedUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (name: string, flag: string) => {
    const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : undefined;
  };
  const [uid, gid] = ['-u', '-g'].map((flag) => idOf('postgres', flag) ?? idOf('nobody', flag) ?? 65_534);
  return { uid: uid ?? 65_534, gid: gid ?? 65_534 };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
