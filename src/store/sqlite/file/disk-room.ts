import { statfsSync } from 'node:fs';

/**
 * Bytes that are left on the disk where a file or folder lies.
 *
 * @throws the system's error, where that does not tell
 */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}
