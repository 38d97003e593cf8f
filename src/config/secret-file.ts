import { closeSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';

/** Secrets are short; more than this is another file, or a device without an end. */
const MAX_BYTES = 65_536;

/** What a secret's file holds, or what is wrong with it: one of the two, and never both. */
export type SecretFile =
  | { readonly lines: readonly string[]; readonly mistake?: undefined }
  | { readonly lines?: undefined; readonly mistake: string };

/**
 * Reads a file of secrets, one a line, as Docker and Kubernetes mount them.
 * Blank lines and spaces around a secret are not part of it. A mistake never
 * quotes the content, only the path.
 *
 * @param path relative to `cwd`.
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
      mistake: `names ${file}, which has more than ${String(MAX_BYTES)} bytes: name a file of secrets`,
    };
  const text = decoded(bytes);
  if (text === undefined) return { mistake: `names ${file}, which is not UTF-8 text` };
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0) return { mistake: `names ${file}, which is empty: write the secret into it` };
  return { lines };
}

const remedies: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'let the user that runs Portaria read it',
  EPERM: 'let the user that runs Portaria read it',
  EISDIR: 'it is a folder; name the file in it',
};

/** A pipe has no size to be asked for, and a device may have no end. */
function readAtMost(file: string, most: number): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(most);
    let length = 0;
    for (;;) {
      const read = readSync(descriptor, bytes, length, most - length, null);
      length += read;
      if (read === 0 || length === most) return bytes.subarray(0, length);
    }
  } finally {
    closeSync(descriptor);
  }
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
