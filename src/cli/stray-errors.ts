import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { failureReason } from '../kernel/failure-reason.ts';
import type { Logger } from '../kernel/logger.ts';
import { ownFolder, packageRoot } from '../kernel/files/package-files.ts';
import { scrub } from '../telemetry/scrub.ts';
import { exitCode } from './exit-code.ts';
import type { Terminal } from './terminal/terminal.ts';

/**
 * Keeps handlers from taking the process down with them, until the returned
 * function is called.
 *
 * - A rejection or an exception that nobody caught, from a handler's forgotten
 *   promise, its timer, or a connection it left open: logged, and all go on. The
 *   state that matters is in the store, where each write is whole, and the
 *   delivery that may wait for ever now has its time limit.
 * - One that only Portaria's own code can have thrown: logged, and the process
 *   ends with 1. Something may hang now for good, and a start is safe at any time.
 * - `process.exit` called by a handler cannot be undone: logged with its place.
 *   The process ends with 1, whatever was asked for, so that whoever watches
 *   over it starts it again. The try counts (see `judgeCrashes`).
 */
export function watchStrayErrors(
  terminal: Pick<Terminal, 'onUncaught' | 'onForeignExit' | 'exit'>,
  log: Logger,
): () => void {
  const stopListening = terminal.onUncaught((thrown, how) => {
    const reason = scrub(failureReason(thrown));
    if (isOwn(thrown)) {
      log.error(
        { reason, how },
        `An error of Portaria's own that nothing caught; the process ends: ${reason}`,
      );
      terminal.exit(exitCode.failed);
      return;
    }
    log.error({ reason, how }, `${STRAY[how]}: ${reason}`);
  });
  const stopWatching = terminal.onForeignExit((code, stack) => {
    const where = foreignFrame(stack) ?? 'place unknown';
    const message = `process.exit(${String(code)}) was called by a handler or what it uses (${where}); what ran is tried again after the next start`;
    log.error({ where }, message);
    return exitCode.failed;
  });
  return () => {
    stopListening();
    stopWatching();
  };
}

const STRAY = {
  rejection: 'A handler left a promise behind that was rejected; it should await or catch it',
  exception: 'A handler left a timer or listener behind that threw; it should catch that itself',
} as const;

/** Without a stack, or with frames of libraries alone, it is the handler's: libraries there are many. */
function isOwn(thrown: unknown): boolean {
  // What `ctx.signal` aborts with is made here, and thrown by whoever heeds it.
  if (thrown instanceof DOMException) return false;
  const stack = stackOf(thrown);
  return framesOf(stack).some(isOwnFrame) && foreignFrame(stack) === undefined;
}

/** The innermost frame that is neither Portaria's, Node's nor a library's: a handler's own code. */
function foreignFrame(stack: string): string | undefined {
  return framesOf(stack)
    .find((frame) => !isOwnFrame(frame) && !/\bnode:|[\\/]node_modules[\\/]|<anonymous>/.test(frame))
    ?.trim();
}

/**
 * Portaria's own code, as stack traces name it: an address in modules, a path in what is compiled on the
 * way; what is built, and with `--enable-source-maps` the sources of it.
 */
function isOwnFrame(frame: string): boolean {
  return [ownFolder('src'), join(packageRoot(), 'src')]
    .map((folder) => folder + sep)
    .some((place) => frame.includes(place) || frame.includes(pathToFileURL(place).href));
}

function framesOf(stack: string): readonly string[] {
  return stack.split('\n').filter((line) => /^\s+at /.test(line));
}

function stackOf(thrown: unknown): string {
  try {
    const stack = thrown instanceof Error ? thrown.stack : undefined;
    return typeof stack === 'string' ? stack.slice(0, 20_000) : '';
  } catch {
    // A proxy or getter that throws when looked at.
    return '';
  }
}
