import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { eventually } from '../../../support/eventually.ts';
import type { RunningPortaria } from '../../../support/running-portaria.ts';

/** The files of a store at one moment, as a power loss would leave them. */
export interface DiskSnapshot {
  readonly database: Buffer;
  readonly log: Buffer;
  readonly index: Buffer;
}

/**
 * Stops the process at any point, reads its files, calls `meanwhile`, and lets the process continue.
 */
export async function snapshotDisk(
  running: RunningPortaria,
  database: string,
  meanwhile: () => void,
): Promise<DiskSnapshot> {
  running.kill('SIGSTOP');
  try {
    await eventually('every thread is stopped', () =>
      threadStates(running.pid).every((state) => /^t$/i.test(state)),
    );
    const image = {
      database: readFileSync(database),
      log: contentOf(`${database}-wal`),
      index: contentOf(`${database}-shm`),
    };
    meanwhile();
    return image;
  } finally {
    running.kill('SIGCONT');
  }
}

function contentOf(file: string): Buffer {
  return existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
}

/** The states of all threads from /proc: R runs, S sleeps, T is stopped, t is stopped by a tracer. */
function threadStates(pid: number): readonly string[] {
  const tasks = `/proc/${String(pid)}/task`;
  return readdirSync(tasks).map((task) => {
    const line = readFileSync(`${tasks}/${task}/stat`, 'utf8');
    // The thread name before the state may contain parentheses.
    return line.slice(line.lastIndexOf(')') + 2).charAt(0);
  });
}
