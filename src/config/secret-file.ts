import { closeSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';

/** A longer file is no file of secrets, or a device without an end. */
const MAX_BYTES = 65_536;

/** The secrets of a file, or why it cannot be used. */
export type SecretFile =
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
  let bytes: Buffer;
  try {
    bytes = readAtMost(file, MAX_BYTES + 1);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return {
      mistake: `names ${file}, which cannot be read (${code}): ${remedies[code] ?? 'check the path'}`,
    };
  }
  if (bytes.length > MAX_BYTES)
    return {
      mistake: `names ${file}, which is longer than ${String(MAX_BYTES)} bytes: name a file of secrets`,
    };
  const content = decodeUtf8(bytes);
  if (content === undefined) return { mistake: `names ${file}, which is not UTF-8 text` };
  const lines = content
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0) return { mistake: `names ${file}, which is empty: write the secret to it` };
  return { lines };
}

const remedies: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'let the user that runs Portaria read it',
  EPERM: 'let the user that runs Portaria read it',
  EISDIR: 'it is a folder; name a file in it',
};

/** A pipe has no known size, and a device may have no end. */
function readAtMost(file: string, max: number): Buffer {
  const descriptor = openSync(file, 'r');
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

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
