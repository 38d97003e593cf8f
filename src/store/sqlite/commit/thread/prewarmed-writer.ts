/** Starts the writing thread before it is needed. */
import { Worker } from 'node:worker_threads';
import { ownExtension, ownModule } from '../../../../kernel/files/package-files.ts';

/**
 * The size of the thread's young generation, in megabytes. Few objects outlive
 * their batch; with Node's default each minor GC pauses commits for milliseconds.
 */
const YOUNG_GENERATION_MB = 2;

let prewarmed: Worker | undefined;

/**
 * Starts the writing thread for the next store to be opened. Loading the program
 * in the thread takes a fourth of a start, and now overlaps with the rest.
 */
export function prewarmWriterThread(): void {
  // A store run from source uses no thread by default.
  if (ownExtension !== '.js' || prewarmed !== undefined) return;
  const started = startWriterThread();
  prewarmed = started;
  const clear = () => {
    if (prewarmed === started) prewarmed = undefined;
  };
  // If it cannot run, the store starts a thread of its own, and reports the error.
  started.once('error', clear);
  started.once('exit', clear);
}

/** Returns the prewarmed thread or a new one. Its first message must be {@link WriterThreadData}. */
export function takeWriterThread(): Worker {
  const thread = prewarmed ?? startWriterThread();
  prewarmed = undefined;
  return thread;
}

/** Starts a thread that does not keep the process alive. */
function startWriterThread(): Worker {
  const thread = new Worker(ownModule('src/store/sqlite/commit/thread/writer-thread'), {
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  thread.unref();
  return thread;
}
