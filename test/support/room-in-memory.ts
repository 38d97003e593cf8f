import { statfsSync } from 'node:fs';

/** The folder of a file system in memory, if the machine has one with room: every commit waits for its disk. */
export function roomInMemory(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize > 2 ** 31 ? '/dev/shm' : undefined;
  } catch {
    return undefined;
  }
}
