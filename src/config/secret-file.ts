/** Reads secrets from files instead of the environment. */
import { resolve } from 'node:path';
import { readTextFile } from './text-file.ts';

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
  const { content, mistake } = readTextFile(file);
  if (content === undefined) return { mistake: `names ${file}, which ${mistake}` };
  const lines = content
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0) return { mistake: `names ${file}, which is empty: write the value to it` };
  return { lines };
}
