/** Reads small text files that settings name, such as secrets. */
import { closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** A longer file is not one that an operator wrote for a setting. */
const MAX_FILE_BYTES = 65_536;

/** The content of a file, or why it cannot be used, as the end of a sentence. */
export type TextFile =
  | { readonly content: string; readonly mistake?: undefined }
  | { readonly content?: undefined; readonly mistake: string };

/**
 * Reads a regular file of UTF-8 text, without a byte order mark. Follows symbolic links, as Docker and
 * Kubernetes mount secrets. Never waits: a pipe without a writer would stop the start.
 */
export function readTextFile(path: string): TextFile {
  let bytes: Buffer;
  try {
    const found = statSync(path);
    if (!found.isFile() && !found.isDirectory())
      return { mistake: 'is not a regular file: name a file or a symbolic link to one' };
    bytes = readAtMost(path, MAX_FILE_BYTES + 1);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return { mistake: `cannot be read (${code}): ${remedies[code] ?? 'check the path'}` };
  }
  if (bytes.length > MAX_FILE_BYTES) return { mistake: `is longer than ${String(MAX_FILE_BYTES)} bytes` };
  try {
    return { content: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { mistake: 'is not UTF-8 text' };
  }
}

const remedies: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'let the user that runs Portaria read it',
  EPERM: 'let the user that runs Portaria read it',
  EISDIR: 'it is a folder; name a file in it',
};

/** The file may grow, or become a pipe, after it was looked at. */
function readAtMost(path: string, max: number): Buffer {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(max);
    let length = 0;
    for (;;) {
      const read = readSync(descriptor, bytes, length, max - length, null);
      length += read;
      if (read === 0 || length === max) return bytes.subarray(0, length);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** The secrets of a file, or why it cannot be used. */
type SecretFile =
  | { readonly lines: readonly string[]; readonly mistake?: undefined }
  | { readonly lines?: undefined; readonly mistake: string };

/**
 * Reads a file of secrets, one per line, as Docker and Kubernetes mount them. Ignores blank lines and spaces
 * around a secret. A mistake quotes the path, never the content.
 *
 * @param path relative to `cwd`
 */
export function readSecretFile(path: string, cwd: string): SecretFile {
  const file = resolve(cwd, path);
  const { content, mistake } = readTextFile(file);
  if (content === undefined) return { mistake: `names ${file}, which ${mistake}` };
  const lines = splitSecrets(content, '\n');
  if (lines.length === 0) return { mistake: `names ${file}, which is empty: write the value to it` };
  return { lines };
}

/** Splits secrets at commas or line breaks. A key in PEM has several lines, and is one. */
export function splitSecrets(text: string, separator: ',' | '\n'): string[] {
  const pattern = new RegExp(`\\s*-----BEGIN [^-]+-----[^-]*-----END [^-]+-----|[^${separator}]+`, 'g');
  return (text.match(pattern) ?? []).map((secret) => secret.trim()).filter((secret) => secret !== '');
}
