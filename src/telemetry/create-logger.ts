import { pino, type DestinationStream } from 'pino';
import type { Logger } from '../kernel/logger.ts';

export interface LoggerOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly format: 'json' | 'pretty';
  /** Where the lines go; standard output unless given. */
  readonly destination?: DestinationStream;
}

/** The process's log: one line per fact, for machines (NDJSON) or for people. */
export async function createLogger({ level, format, destination }: LoggerOptions): Promise<Logger> {
  const options = { level, base: null };
  const stream = format === 'pretty' ? await prettyStream(destination) : destination;
  // By this name: to the compiler pino's own type might be a promise.
  const log: Logger = stream === undefined ? pino(options) : pino(options, stream);
  return log;
}

async function prettyStream(destination: DestinationStream | undefined): Promise<DestinationStream> {
  const { build } = await import('pino-pretty');
  return build({
    colorize: destination === undefined && process.stdout.isTTY,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
    ...(destination === undefined ? { sync: true } : { destination: destination as NodeJS.WritableStream }),
  });
}
