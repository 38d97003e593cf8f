import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { onTestFinished } from 'vitest';

/** A file system of its own in memory; needs `mount`. */
export interface SmallDisk {
  readonly folder: string;
  /** Mounts it anew with other options: `size=8m`, `ro`. What is on it stays. */
  remount(options: string): void;
}

export function mountSmallDisk(folder: string, options: string): SmallDisk {
  mkdirSync(folder);
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'portaria-faults', folder]);
  // Whatever still holds a file on it may do so; the name is free.
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]));
  return {
    folder,
    remount: (changed) => void execFileSync('mount', ['-o', `remount,${changed}`, folder]),
  };
}
