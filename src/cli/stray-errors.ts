/** Keeps an error that a handler leaves uncaught from ending the process. */
import { dirname, join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { failureReason } from '../kernel/failure-reason.ts';
import type { Logger } from '../kernel/logger.ts';
import { ownFolder, packageRoot } from '../kernel/files/package-files.ts';
import { scrub } from '../kernel/text/scrub.ts';
import { exitCode } from './exit-code.ts';
import type { Terminal } from './terminal/terminal.ts';

/**
 * Keeps uncaught errors of handlers from ending the process, until the returned function is called.
 *
 * - An uncaught error or rejection of a handler (a forgotten promise, a timer, an open connection) is
 *   logged, and the process goes on. Every write to the store is atomic, and a delivery that will never
 *   finish has a time limit.
 * - One that only Portaria's own code can have thrown is logged, and the process ends with 1: something
 *   may hang for good, and a start is safe at any time.
 * - `process.exit` in a handler cannot be undone. It is logged with its place, and the process ends with
 *   1, whatever code was passed, so that a supervisor starts it again. The attempt counts.
 */
export function watchStrayErrors(
  terminal: Pick<Terminal, 'onUncaught' | 'onForeignExit' | 'exit'>,
  log: Logger,
): () => void {
  const stopListening = terminal.onUncaught((thrown, how) => {
    const reason = scrub(failureReason(thrown));
    if (isOwn(thrown)) {
      log.error({ reason, how }, `uncaught error in Portaria's own code; the process ends: ${reason}`);
      terminal.exit(exitCode.failed);
      return;
    }
    log.error({ reason, how }, `${UNCAUGHT[how]}: ${reason}`);
  });
  const stopWatching = terminal.onForeignExit((code, stack) => {
    const where = foreignFrame(stack) ?? 'place unknown';
    const message = `a handler or its library called process.exit(${String(code)}) (${where}); running deliveries are retried after the next start`;
    log.error({ where }, message);
    return exitCode.failed;
  });
  return () => {
    stopListening();
    stopWatching();
  };
}

const UNCAUGHT = {
  rejection: 'a handler left a promise that was rejected; it should await or catch it',
  exception: 'a handler left a timer or listener that threw; it should catch that itself',
} as const;

/** Whether only Portaria's own code was on the stack. Without a stack, the error counts as a handler's. */
function isOwn(thrown: unknown): boolean {
  // The reason of an aborted `ctx.signal` is created by Portaria and thrown by handlers.
  if (thrown instanceof DOMException) return false;
  const stack = stackOf(thrown);
  return framesOf(stack).some(isOwnFrame) && foreignFrame(stack) === undefined;
}

/** The innermost frame of a handler: not Portaria's, Node's or a library's. */
function foreignFrame(stack: string): string | undefined {
  return framesOf(stack)
    .find((frame) => !isOwnFrame(frame) && !/\bnode:|[\\/]node_modules[\\/]|<anonymous>/.test(frame))
    ?.trim();
}

/**
 * Whether a frame is in Portaria's code: built, or the sources with `--enable-source-maps`. A frame
 * names an ES module by URL and a compiled module by path.
 */
function isOwnFrame(frame: string): boolean {
  return [ownFolder('src'), join(dirname(ownFolder('src')), 'chunks'), join(packageRoot(), 'src')]
    .map((folder) => folder + sep)
    .some((folder) => frame.includes(folder) || frame.includes(pathToFileURL(folder).href));
}

function framesOf(stack: string): readonly string[] {
  return stack.split('\n').filter((line) => /^\s+at /.test(line));
}

function stackOf(thrown: unknown): string {
  try {
    const stack = thrown instanceof Error ? thrown.stack : undefined;
    return typeof stack === 'string' ? stack.slice(0, 20_000) : '';
  } catch {
    // A proxy or a getter may throw when it is read.
    return '';
  }
}
