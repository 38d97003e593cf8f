/** Writes telemetry events to the log. */
import { createThrottle } from '../kernel/time/throttle.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { logLines, type IsVerified } from './log-lines.ts';
import type { TelemetryEvents, TelemetryName, TelemetrySubscriber } from './telemetry.ts';

export interface LogSubscriberOptions {
  readonly clock: Clock;
  readonly isVerified: IsVerified;
}

export interface LogSubscriber {
  readonly report: TelemetrySubscriber;
  /** Writes the lines that are due for groups; after that each event gets its own line. */
  close(): void;
}

/**
 * Writes one log line per telemetry event. Events that unknown senders can cause are grouped: the first of a
 * group gets a line at once, and those that follow share one line a second.
 */
export function createLogSubscriber(log: Logger, { clock, isVerified }: LogSubscriberOptions): LogSubscriber {
  const bursts = createThrottle<(times: number) => void>({
    clock,
    write: (writeLine, times) => {
      writeLine(times);
    },
  });

  function write<N extends TelemetryName>(name: N, fields: TelemetryEvents[N], times: number): void {
    const line = logLines[name];
    const [shown, message] = line.content(fields);
    const count = times > 1 ? { times } : {};
    const suffix = times > 1 ? ` (last of ${String(times)} since the previous line)` : '';
    log[line.level(fields)]({ event_name: name, ...shown, ...count }, `${message}${suffix}`);
  }

  return {
    report(name, fields) {
      const line = logLines[name];
      if (log.isLevelEnabled?.(line.level(fields)) === false) return;
      const group = line.group?.(fields, isVerified) ?? null;
      if (group === null) write(name, fields, 1);
      else
        bursts.add(`${name} ${group}`, (times) => {
          write(name, fields, times);
        });
    },
    close() {
      bursts.close();
    },
  };
}
