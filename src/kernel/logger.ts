/**
 * What Portaria needs of a logger; pino satisfies it. Fields are chosen one by
 * one at each call (an allow-list): never a payload, never a header.
 */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
  /** Whether lines of this level are written; where it cannot be asked, all are. */
  isLevelEnabled?(level: 'debug' | 'info' | 'warn' | 'error'): boolean;
}
