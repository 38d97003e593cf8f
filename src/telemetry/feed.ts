/** Passes telemetry events on to live pages. */
import { failureReason } from '../kernel/failure-reason.ts';
import type { Logger } from '../kernel/logger.ts';
import type { TelemetrySubscriber } from './telemetry.ts';

/** Who follows telemetry for a while. */
export interface FeedListener {
  readonly report: TelemetrySubscriber;
  /** Called once, when the process stops. */
  ended(): void;
}

/** Telemetry for listeners that come and go while the process runs. Without any it costs a comparison. */
export interface TelemetryFeed {
  readonly report: TelemetrySubscriber;
  /**
   * Passes events on until the returned function is called. A listener that throws is removed, because a
   * webhook must not fail with it. After `close`, `ended` is called at once.
   */
  listen(listener: FeedListener): () => void;
  /** Ends all listeners. */
  close(): void;
}

export function createTelemetryFeed(log: Pick<Logger, 'error'>): TelemetryFeed {
  const listeners = new Set<FeedListener>();
  let closed = false;

  function remove(listener: FeedListener, error: unknown): void {
    listeners.delete(listener);
    log.error({ reason: failureReason(error) }, 'a listener of telemetry failed and was removed');
    listener.ended();
  }

  return {
    report(name, fields) {
      if (listeners.size === 0) return;
      for (const listener of listeners) {
        try {
          listener.report(name, fields);
        } catch (error) {
          remove(listener, error);
        }
      }
    },
    listen(listener) {
      if (closed) listener.ended();
      else listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    close() {
      closed = true;
      const ended = [...listeners];
      listeners.clear();
      for (const listener of ended) listener.ended();
    },
  };
}
