import { statfsSync } from 'node:fs';

/** Bytes that the disk of a file has left. Infinity where the system does not tell. */
export function freeBytes(file: string): number {
  try {
    const { bavail, bsize } = statfsSync(file);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}
