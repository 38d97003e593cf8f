import { readdirSync, readFileSync } from 'node:fs';

/** Memory of a process as the system counts it, in bytes. */
export interface Memory {
  readonly resident: number;
  /** The most it ever was. */
  readonly peak: number;
}

export function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
  return { resident: bytes('VmRSS'), peak: bytes('VmHWM') };
}

/** Files and sockets it has open. */
export function openFilesOf(pid: number): number {
  return readdirSync(`/proc/${String(pid)}/fd`).length;
}

/** How many files a process started from here may have open. */
export function openFilesLimit(): number {
  const [, limit = ''] =
    /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return limit === 'unlimited' ? Infinity : Number(limit);
}
