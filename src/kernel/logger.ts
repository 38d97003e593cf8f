/**
 * The logger that Portaria writes to; a pino logger fits. Each call lists its fields one by one, and never
 * logs a payload or a header.
 */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
  /** Whether this level is enabled. A logger without this method writes every level. */
  isLevelEnabled?(level: 'debug' | 'info' | 'warn' | 'error'): boolean;
}
