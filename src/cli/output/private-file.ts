/** Writes files that only their owner can read. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  createWriteStream,
  lstatSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  type Stats,
  type WriteStream,
} from 'node:fs';
import type { Config } from '../../config/config.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { belongsToDatabase } from '../../kernel/files/private-files.ts';
import type { TextOutput } from '../terminal/text-output.ts';

export interface PrivateFile {
  readonly path: string;
  /** The path as the user wrote it, for messages. */
  readonly shownAs: string;
  /** Whether an existing file may be replaced. */
  readonly force: boolean;
}

/**
 * Writes a file that only its owner can open. A failure leaves the previous file, or none.
 *
 * A replacement is written beside the old file and renamed: other users may be able to open the old
 * file. A device or a pipe is written in place.
 *
 * @returns the result of `write`, and a warning if other users can open the file all the same.
 * @throws PortariaError `invalid-argument` when the file exists and `force` is not set, or it cannot be written.
 */
export async function writePrivateFile<T>(
  file: PrivateFile,
  write: (output: TextOutput) => Promise<T>,
): Promise<{ readonly result: T; readonly warning: string | null }> {
  const { path, shownAs } = file;
  const old = existingFile(file);
  const isSpecial = old !== undefined && !old.isFile();
  // A symbolic link stays; its target is replaced.
  const target = old === undefined || isSpecial ? path : realpathSync(path);
  const part = old === undefined || isSpecial ? target : `${target}.${randomBytes(6).toString('hex')}.part`;
  const stream = await opened(
    createWriteStream(part, { flags: isSpecial ? 'w' : 'wx', mode: 0o600 }),
    shownAs,
  );
  // `errored` is read below. Without a listener, an error would end the process.
  stream.on('error', () => undefined);
  try {
    const result = await write({ stream, isTerminal: false, colors: false, columns: () => Infinity });
    await closed(stream);
    if (part !== target) renameSync(part, target);
    return { result, warning: isSpecial ? null : modeWarning(target, shownAs) };
  } catch (error) {
    await closed(stream).catch(() => undefined);
    if (!isSpecial) rmSync(part, { force: true });
    if (stream.errored === null) throw error;
    throw new PortariaError('invalid-argument', `${shownAs} cannot be written`, { cause: stream.errored });
  }
}

/**
 * @param shownAs the path as the user wrote it
 * @throws PortariaError `invalid-argument` when the path is the database or a file beside it
 */
export function requireForeignFile(
  path: string,
  shownAs: string,
  { database }: Pick<Config, 'database'>,
): void {
  if (!belongsToDatabase(path, database)) return;
  throw new PortariaError('invalid-argument', `${shownAs} belongs to the database; name another file`);
}

/** The existing file at the path, if it may be replaced. */
function existingFile({ path, shownAs, force }: PrivateFile): Stats | undefined {
  const old = statOf(path, shownAs);
  const problem =
    old === undefined
      ? isLink(path) && 'is a link to a file that does not exist; create that file, or remove the link'
      : overwriteProblem(old, force);
  if (problem !== false) throw new PortariaError('invalid-argument', `${shownAs} ${problem}`);
  return old;
}

function overwriteProblem(old: Stats, force: boolean): string | false {
  if (old.isDirectory()) return 'is a folder; name a file in it';
  if (force) return false;
  return old.isFile() ? 'exists; --force replaces it' : 'is a device or a pipe; --force writes to it';
}

function statOf(path: string, shownAs: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    throw new PortariaError('invalid-argument', `${shownAs} cannot be written`, { cause });
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function modeWarning(path: string, shownAs: string): string | null {
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o077) === 0) return null;
  return `other users may be able to open ${shownAs} (mode ${mode.toString(8).padStart(4, '0')}), because its file system ignores modes: move the file to a file system that has modes, or restrict access to its folder`;
}

async function closed(stream: WriteStream): Promise<void> {
  if (!stream.closed) {
    const isClosed = once(stream, 'close');
    stream.end();
    await isClosed;
  }
  if (stream.errored !== null) throw stream.errored;
}

async function opened(stream: WriteStream, shownAs: string): Promise<WriteStream> {
  try {
    await once(stream, 'open');
    return stream;
  } catch (cause) {
    throw new PortariaError('invalid-argument', `${shownAs} cannot be written`, { cause });
  }
}
