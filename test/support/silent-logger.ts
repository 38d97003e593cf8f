import type { Logger } from '../../src/kernel/logger.ts';

/** Drops what it is told. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
};
