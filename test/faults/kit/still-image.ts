import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { eventually } from '../../support/eventually.ts';
import type { RunningPortaria } from '../../support/running-portaria.ts';

/** The files of a store at one moment, as they would be found if the power went. */
export interface StillImage {
  readonly database: Buffer;
  readonly log: Buffer;
  readonly index: Buffer;
}

/**
 * Stops the process wherever it is, reads the files, tells `meanwhile`, and
 * lets the process go on.
 */
export async function stillImage(
  running: RunningPortaria,
  database: string,
  meanwhile: () => void,
): Promise<StillImage> {
  running.kill('SIGSTOP');
  try {
    await eventually('all threads stand still', () =>
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

/** By /proc: R runs, S sleeps, T is stopped, t stopped under a tracer. */
function threadStates(pid: number): readonly string[] {
  const tasks = `/proc/${String(pid)}/task`;
  return readdirSync(tasks).map((task) => {
    const line = readFileSync(`${tasks}/${task}/stat`, 'utf8');
    // The name in front may hold anything, also parentheses.
    return line.slice(line.lastIndexOf(')') + 2).charAt(0);
  });
}
