import { chmodSync, statSync } from 'node:fs';
import { basename } from 'node:path';

/** What SQLite and a lock put beside a database; SQLite gives its own the mode of the database. */
const SUFFIXES = ['', '-wal', '-shm', '-journal', '.lock'] as const;

interface FileMode {
  readonly file: string;
  /** Permission bits. */
  readonly mode: number;
  /** Whether only the owner of the file has any right to it. */
  readonly isPrivate: boolean;
}

/** What `doctor` says of a database's modes, with what to do when they are too wide. */
export function describeModes(database: string): { readonly isPrivate: boolean; readonly text: string } {
  const modes = databaseModes(database);
  const open = modes.filter(({ isPrivate }) => !isPrivate);
  if (open.length === 0) {
    const text = modes.map((each, at) => modeText(each, at === 0 ? database : undefined)).join(', ');
    return { isPrivate: true, text };
  }
  const names = open.map((each) => modeText(each, each.file)).join(', ');
  const remedy = `chmod 600 ${open.map(({ file }) => file).join(' ')}`;
  return { isPrivate: false, text: `${names} can be read by others: ${remedy}` };
}

/** The modes of a database and of the files beside it, as far as they exist. */
function databaseModes(database: string): readonly FileMode[] {
  return SUFFIXES.flatMap((suffix) => modeOf(`${database}${suffix}`) ?? []);
}

/** As `ls` and `chmod` know a mode: `portaria.db (0644)`. */
function modeText({ file, mode }: FileMode, name = basename(file)): string {
  return `${name} (${mode.toString(8).padStart(4, '0')})`;
}

/**
 * Takes the rights of other users to a database and the files beside it.
 *
 * The files are changed by name and never opened: closing any descriptor of a
 * file drops the locks that SQLite holds on it elsewhere in this process.
 *
 * @param chmod replaced in tests only.
 * @returns what an operator should know, in one sentence; null when all was private.
 */
export function keepPrivate(database: string, chmod: typeof chmodSync = chmodSync): string | null {
  const open = databaseModes(database).filter(({ isPrivate }) => !isPrivate);
  if (open.length === 0) return null;
  const refused = open.filter(({ file }) => !changed(() => chmod(file, 0o600)));
  const names = open.map((each) => modeText(each)).join(', ');
  const left = databaseModes(database).filter(({ isPrivate }) => !isPrivate);
  if (left.length === 0)
    return `other users could open ${names} at ${database}; now only the owner can (0600)`;
  const kept = left.map((each) => modeText(each)).join(', ');
  return refused.length > 0
    ? `other users can open ${kept} at ${database}, and this user cannot change that: run \`chmod 600\` on it as its owner, or run Portaria as its owner`
    : `other users may be able to open ${kept} at ${database}, because its file system keeps no modes: move it to one that does, or let only this user into its folder`;
}

function modeOf(file: string): FileMode | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const mode = found.mode & 0o777;
  return { file, mode, isPrivate: (mode & 0o077) === 0 };
}

/** A file that is gone meanwhile needs no change. */
function changed(change: () => void): boolean {
  try {
    change();
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
