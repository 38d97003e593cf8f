/** The log of a simulated process, which somebody follows. */
import type { Logger } from '../../../src/kernel/logger.ts';

/** What the process says of itself where no call tells it. */
export interface Heard {
  readonly event_name?: string;
  readonly open_ms?: number;
  readonly event?: string;
  readonly replay?: boolean;
  readonly handler?: string;
  readonly delivery?: string;
  readonly reason?: string;
}

export type Hear = (about: Heard, message: string, level: string) => void;

export function createToldLog(hear: Hear, fields: object = {}): Logger {
  const nothing = (): void => undefined;
  const told =
    (level: string) =>
    (about: object, message: string): void => {
      hear(about, message, level);
    };
  const log = { fields, debug: told('debug'), info: nothing, warn: told('warn'), error: told('error') };
  return {
    ...log,
    child: (more) => createToldLog(hear, { ...fields, ...more }),
    isLevelEnabled: (level) => level === 'error',
  };
}
