import { execFileSync } from 'node:child_process';
import { mkdirSync, statfsSync } from 'node:fs';
import { onTestFinished } from 'vitest';

/** A small file system in memory. Requires `mount`. */
export interface SmallDisk {
  readonly folder: string;
  /** Changes the mount options, for example `size=8m` or `ro`. The files stay. */
  remount(options: string): void;
}

/** Mounts a small disk at `folder` until the test ends. */
export function mountSmallDisk(folder: string, options: string): SmallDisk {
  mkdirSync(folder);
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'portaria-faults', folder]);
  // A lazy unmount succeeds even while a process holds a file open.
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]));
  return {
    folder,
    remount: (changed) => void execFileSync('mount', ['-o', `remount,${changed}`, folder]),
  };
}

export function usedBytes(folder: string): number {
  const { blocks, bfree, bsize } = statfsSync(folder);
  return (blocks - bfree) * bsize;
}
