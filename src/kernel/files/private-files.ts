/** Keeps the database's files from other users of the machine. */
import { chmodSync, closeSync, existsSync, openSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

// No file is opened to change its mode: closing any descriptor of a file drops
// the locks that SQLite holds on it elsewhere in this process.

/**
 * Creates an empty file that only its owner can read. Leaves an existing file as it is.
 *
 * @throws the operating system's error when the file cannot be created
 */
export function createPrivateFile(file: string): void {
  if (existsSync(file)) return;
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Takes all rights of other users to a database and the files beside it.
 *
 * @param chmod replaced in tests only
 * @returns one sentence for the operator; null when all files were private already
 */
export function makePrivate(database: string, chmod: typeof chmodSync = chmodSync): string | null {
  const open = databaseModes(database).filter(({ isPrivate }) => !isPrivate);
  if (open.length === 0) return null;
  const rejected = open.filter(({ file }) => !tryChmod(() => chmod(file, 0o600)));
  const names = open.map((each) => describeMode(each)).join(', ');
  const stillOpen = databaseModes(database).filter(({ isPrivate }) => !isPrivate);
  if (stillOpen.length === 0)
    return `other users could open ${names} at ${database}; now only the owner can (0600)`;
  const remaining = stillOpen.map((each) => describeMode(each)).join(', ');
  return rejected.length > 0
    ? `other users can open ${remaining} at ${database}, and this user cannot change that: run \`chmod 600\` on it as its owner, or run Portaria as its owner`
    : `other users may be able to open ${remaining} at ${database}, because its file system keeps no modes: move it to one that does, or let only this user into its folder`;
}

/** Describes the modes of a database and the files beside it, with the remedy when other users can read one. */
export function describeModes(database: string): { readonly isPrivate: boolean; readonly text: string } {
  const modes = databaseModes(database);
  const open = modes.filter(({ isPrivate }) => !isPrivate);
  if (open.length === 0) {
    const text = modes.map((each, at) => describeMode(each, at === 0 ? database : undefined)).join(', ');
    return { isPrivate: true, text };
  }
  const names = open.map((each) => describeMode(each, each.file)).join(', ');
  const remedy = `chmod 600 ${open.map(({ file }) => file).join(' ')}`;
  return { isPrivate: false, text: `${names} can be read by others: ${remedy}` };
}

interface FileMode {
  readonly file: string;
  /** Permission bits. */
  readonly mode: number;
  /** Whether only the owner of the file has any right to it. */
  readonly isPrivate: boolean;
}

/** Ends the name of the file whose lock keeps erasures apart. */
export const ERASURE_LOCK_SUFFIX = '.erasure-lock';

/** Suffixes of the files that SQLite, locks and the reserve of room put beside a database. */
const SUFFIXES = ['', '-wal', '-shm', '-journal', '.lock', '.reserve', ERASURE_LOCK_SUFFIX] as const;

/** Whether a path is that of a database or of a file beside it: by name, or by a link of any kind. */
export function belongsToDatabase(path: string, database: string): boolean {
  const own = [database, realPath(database)].flatMap((name) => SUFFIXES.map((suffix) => `${name}${suffix}`));
  const ids = new Set(own.flatMap((file) => fileId(file) ?? []));
  const id = fileId(path);
  return own.map(realPath).includes(realPath(path)) || (id !== undefined && ids.has(id));
}

/** The path with symbolic links resolved, as far as it exists. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), basename(path));
  }
}

function fileId(file: string): string | undefined {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    return `${String(dev)}:${String(ino)}`;
  } catch {
    return undefined;
  }
}

function databaseModes(database: string): readonly FileMode[] {
  return SUFFIXES.flatMap((suffix) => modeOf(`${database}${suffix}`) ?? []);
}

function modeOf(file: string): FileMode | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const mode = found.mode & 0o777;
  // Windows has no modes of others: it reports 0666 or 0444 for each file.
  return { file, mode, isPrivate: process.platform === 'win32' || (mode & 0o077) === 0 };
}

/** A name and its mode as `ls` and `chmod` write it: `portaria.db (0644)`. */
function describeMode({ file, mode }: FileMode, name = basename(file)): string {
  return `${name} (${mode.toString(8).padStart(4, '0')})`;
}

/** Whether the change succeeded. A file that was removed in the meantime needs none. */
function tryChmod(change: () => void): boolean {
  try {
    change();
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
