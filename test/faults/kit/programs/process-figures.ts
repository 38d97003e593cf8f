import { readdirSync, readFileSync } from 'node:fs';

/** The memory of a process in bytes, as the kernel counts it. */
export interface Memory {
  readonly resident: number;
  /** The maximum so far. */
  readonly peak: number;
}

export function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
  return { resident: bytes('VmRSS'), peak: bytes('VmHWM') };
}

/** The number of open files and sockets of a process. */
export function openFilesOf(pid: number): number {
  return readdirSync(`/proc/${String(pid)}/fd`).length;
}

/** The limit of open files for processes that this one starts. */
export function openFilesLimit(): number {
  const [, limit = ''] =
    /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return limit === 'unlimited' ? Infinity : Number(limit);
}
