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
}
