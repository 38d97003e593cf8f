/** Finds the programs of PostgreSQL. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fetchPostgres, fetchedPrograms } from './fetch-postgres.mjs';

/**
 * The path of a program of PostgreSQL. Searches the folders of PATH, then Debian's of servers, the newest version
 * first, then the fetched ones: all programs are from the folder that has `initdb`, so that their versions fit. If
 * `PORTARIA_TEST_POSTGRES` asks for a version, only the fetched ones of that version.
 *
 * @param {string} name
 * @returns {string | undefined} undefined without PostgreSQL, or without that program
 */
export function postgresProgram(name) {
  const initdb = folders()
    .map((folder) => join(folder, 'initdb'))
    .find((each) => existsSync(each));
  if (initdb === undefined) return undefined;
  // A link in PATH leads to the folder that has all programs.
  const path = join(dirname(realpathSync(initdb)), name);
  return existsSync(path) ? path : undefined;
}

/**
 * Fetches PostgreSQL into node_modules if this machine has none.
 *
 * @returns {Promise<string | undefined>} as `needsPostgres`
 */
export async function preparePostgres() {
  if (postgresProgram('initdb') === undefined && !isOff()) await fetchPostgres(askedVersion());
  return needsPostgres();
}

/** Why no server can be started here; undefined when one can. */
export function needsPostgres() {
  if (isOff()) return 'PORTARIA_TEST_POSTGRES=off leaves out what needs PostgreSQL';
  if (postgresProgram('initdb') !== undefined) return undefined;
  const asked = askedVersion();
  return asked === undefined
    ? 'PostgreSQL is not installed, and npm has not fetched it: install it (apt-get install postgresql)'
    : `PORTARIA_TEST_POSTGRES=${asked} asks for PostgreSQL ${asked}, and npm has not fetched it: take one of the versions that scripts/postgres/postgres-packages.json pins for this machine`;
}

/** The version, such as `14`, that `PORTARIA_TEST_POSTGRES` asks for; undefined when any will do. */
export function askedVersion() {
  return /^\d+$/u.exec(process.env['PORTARIA_TEST_POSTGRES'] ?? '')?.[0];
}

function isOff() {
  return process.env['PORTARIA_TEST_POSTGRES'] === 'off';
}

/**
 * PostgreSQL does not run as root, so root runs it as another user. Undefined for any other user.
 *
 * @returns {{ readonly uid: number, readonly gid: number } | undefined}
 */
export function unprivilegedUser() {
  if (process.getuid?.() !== 0) return undefined;
  const [uid = 0, gid = 0] = ['-u', '-g'].map(
    (flag) => idOf('postgres', flag) ?? idOf('nobody', flag) ?? 65_534,
  );
  return { uid, gid };
}

function folders() {
  const asked = askedVersion();
  if (asked !== undefined) return [fetchedPrograms(asked) ?? []].flat();
  const debian = '/usr/lib/postgresql';
  const fetched = fetchedPrograms();
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  return [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...versions
      .sort((one, other) => Number(other) - Number(one))
      .map((version) => join(debian, version, 'bin')),
    ...(fetched === undefined ? [] : [fetched]),
  ];
}

/**
 * @param {string} name
 * @param {string} flag
 */
function idOf(name, flag) {
  const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' });
  return status === 0 ? Number(stdout) : undefined;
}
