import { pino, type DestinationStream } from 'pino';
import { printable, printableLine } from '../kernel/text/printable.ts';
import type { Logger } from '../kernel/logger.ts';

export interface LoggerOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly format: 'json' | 'pretty';
  /** Whether a person watches where the lines go. */
  readonly isTerminal: boolean;
  /** Where the lines go; standard output unless given. */
  readonly destination?: DestinationStream;
}

/**
 * The process's log: one line per fact, for machines (NDJSON) or for people.
 * Fields may quote strangers, so people get them without what a terminal would obey.
 */
export async function createLogger(given: LoggerOptions): Promise<Logger> {
  const { level, format, isTerminal, destination } = given;
  const options = { level, base: null };
  const stream =
    format === 'pretty' ? literal(await prettyStream(given)) : isTerminal ? shown(destination) : destination;
  // By this name: to the compiler pino's own type might be a promise.
  const log: Logger = stream === undefined ? pino(options) : pino(options, stream);
  return log;
}

/** JSON, with what JSON leaves raw escaped. */
function shown(destination: DestinationStream = pino.destination(1)): DestinationStream {
  return { write: (line) => destination.write(printable(line)) };
}

/**
 * Lines of JSON for a reader that undoes the escapes: they are escaped once
 * more, so that they are there when they are shown. Line feeds part a stack.
 */
function literal(destination: DestinationStream): DestinationStream {
  return { write: (line) => destination.write(escapedTwice(line)) };
}

function escapedTwice(line: string): string {
  return printable(line).replace(/\\(?:u[0-9a-f]{4}|.)/gi, (escape) =>
    /^\\[ubfrt]/.test(escape) ? `\\${escape}` : escape,
  );
}

async function prettyStream({ destination, isTerminal }: LoggerOptions): Promise<DestinationStream> {
  const { build } = await import('pino-pretty');
  return build({
    colorize: destination === undefined && isTerminal,
    messageFormat: (log, key) => printableLine(String(log[key])),
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
    ...(destination === undefined ? { sync: true } : { destination: destination as NodeJS.WritableStream }),
  });
}
