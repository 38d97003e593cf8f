import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * The path of a program of PostgreSQL. Searches the folders of PATH, then Debian's of servers, the newest version
 * first: all programs are from the folder that has `initdb`, so that their versions fit together.
 *
 * @param {string} name
 * @returns {string | undefined} undefined without PostgreSQL, or without that program
 */
export function postgresProgram(name) {
  const folder = folders().find((each) => existsSync(join(each, 'initdb')));
  const path = join(folder ?? '', name);
  return folder !== undefined && existsSync(path) ? path : undefined;
}

/** Why no server can be started here; undefined when one can. */
export function needsPostgres() {
  return postgresProgram('initdb') === undefined
    ? 'PostgreSQL is not installed: install it (apt-get install postgresql), or set PORTARIA_TEST_POSTGRES'
    : undefined;
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
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  return [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...versions
      .sort((one, other) => Number(other) - Number(one))
      .map((version) => join(debian, version, 'bin')),
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
