import { pino, type DestinationStream } from 'pino';
import { build as prettyStream } from 'pino-pretty';
import type { Logger } from '../kernel/logger.ts';

export interface LoggerOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly format: 'json' | 'pretty';
  /** Where the lines go; standard output unless given. */
  readonly destination?: DestinationStream;
}

/** The process's log: one line per fact, for machines (NDJSON) or for people. */
export function createLogger({ level, format, destination }: LoggerOptions): Logger {
  const options = { level, base: null };
  if (format === 'json') return destination === undefined ? pino(options) : pino(options, destination);
  return pino(
    options,
    prettyStream({
      colorize: destination === undefined && process.stdout.isTTY,
      translateTime: 'SYS:HH:MM:ss.l',
      ignore: 'pid,hostname',
      ...(destination === undefined ? { sync: true } : { destination: destination as NodeJS.WritableStream }),
    }),
  );
}
