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
import { PortariaError } from '../../kernel/errors.ts';
import type { TextOutput } from '../terminal/text-output.ts';

export interface PrivateFile {
  readonly path: string;
  /** As the user wrote it. */
  readonly shownAs: string;
  /** Whether it may replace another. */
  readonly force: boolean;
}

/**
 * Writes a file that only its owner can open. It is whole or it is not there:
 * what fails in the middle leaves what was there before.
 *
 * One that replaces another is written beside it and renamed: the old one may
 * be open to other users, and in their programs. A device or a pipe is written to as it is.
 *
 * @returns what `write` returned, and a warning where the file has other rights all the same.
 * @throws PortariaError `invalid-argument` when it exists and must not be replaced, or cannot be written.
 */
export async function writePrivateFile<T>(
  file: PrivateFile,
  write: (output: TextOutput) => Promise<T>,
): Promise<{ readonly result: T; readonly warning: string | null }> {
  const { path, shownAs } = file;
  const old = replacedBy(file);
  const isSpecial = old !== undefined && !old.isFile();
  // A link stays a link, and what it points to is replaced.
  const place = old === undefined || isSpecial ? path : realpathSync(path);
  const part = old === undefined || isSpecial ? place : `${place}.${randomBytes(6).toString('hex')}.part`;
  const stream = await opened(
    createWriteStream(part, { flags: isSpecial ? 'w' : 'wx', mode: 0o600 }),
    shownAs,
  );
  // Read from `errored` below; unheard, it would end the process.
  stream.on('error', () => undefined);
  try {
    const result = await write({ stream, isTerminal: false, columns: () => Infinity });
    await closed(stream);
    if (part !== place) renameSync(part, place);
    return { result, warning: isSpecial ? null : warningOf(place, shownAs) };
  } catch (error) {
    await closed(stream).catch(() => undefined);
    if (!isSpecial) rmSync(part, { force: true });
    if (stream.errored === null) throw error;
    throw new PortariaError('invalid-argument', `${shownAs} cannot be written`, { cause: stream.errored });
  }
}

/** What is there already, where the file may replace it. */
function replacedBy({ path, shownAs, force }: PrivateFile): Stats | undefined {
  const old = found(path, shownAs);
  const refusal =
    old === undefined
      ? isLink(path) && 'is a link to a file that does not exist; make that file, or remove the link'
      : refusalOf(old, force);
  if (refusal !== false) throw new PortariaError('invalid-argument', `${shownAs} ${refusal}`);
  return old;
}

function refusalOf(old: Stats, force: boolean): string | false {
  if (old.isDirectory()) return 'is a folder; name a file in it';
  if (force) return false;
  return old.isFile() ? 'exists; --force replaces it' : 'is a device or a pipe; --force writes to it';
}

function found(path: string, shownAs: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    throw new PortariaError('invalid-argument', `${shownAs} cannot be written`, { cause });
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function warningOf(place: string, shownAs: string): string | null {
  const mode = statSync(place).mode & 0o777;
  if ((mode & 0o077) === 0) return null;
  return `other users may be able to open ${shownAs} (${mode.toString(8).padStart(4, '0')}), because its file system keeps no modes: move it to one that does, or let only this user into its folder`;
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
