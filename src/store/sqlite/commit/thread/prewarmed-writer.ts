import { Worker } from 'node:worker_threads';
import { ownExtension, ownModule } from '../../../../kernel/files/package-files.ts';

/**
 * Of the thread's young objects, in megabytes. Hardly any outlives its batch;
 * with Node's default each collection takes milliseconds, in which nobody commits.
 */
const YOUNG_GENERATION_MB = 2;

let spare: Worker | undefined;

/**
 * Starts the writing thread of the next store that wants one. Whoever knows that
 * one will be opened saves the time that the thread takes to load the program,
 * which is a fourth of a start: the rest of it loads meanwhile.
 */
export function startSpareWriterThread(): void {
  // From source no store takes one unless it is asked to.
  if (ownExtension !== '.js' || spare !== undefined) return;
  const started = startWriterThread();
  spare = started;
  const forget = () => {
    if (spare === started) spare = undefined;
  };
  // One that cannot run is done without; the store that starts its own tells why.
  started.once('error', forget);
  started.once('exit', forget);
}

/** A thread for {@link WriterThreadData}, its first message: the one that was started, or a new one. */
export function takeWriterThread(): Worker {
  const thread = spare ?? startWriterThread();
  spare = undefined;
  return thread;
}

/** It does not keep the process alive. */
function startWriterThread(): Worker {
  const thread = new Worker(ownModule('src/store/sqlite/commit/thread/writer-thread'), {
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  thread.unref();
  return thread;
}
