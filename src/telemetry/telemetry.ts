/**
 * The events that Portaria emits about itself, and their fields. Metrics and the log subscribe to them. They
 * carry no payload data. Durations are milliseconds, sizes are bytes.
 */
import { failureReason } from '../kernel/failure-reason.ts';
import type { Logger } from '../kernel/logger.ts';

export interface TelemetryEvents {
  /** A webhook got its response. */
  'webhook.responded': {
    /** The configured one, else `unknown`: anybody can invent names, and each label value is a time series forever. */
    readonly source: string;
    readonly status: number;
    /** `accepted`, `stale`, `unrecognized`, `duplicate`, `ping`, `handshake`, `quarantined`, `quarantine-full`, `unknown-path` or an error code. */
    readonly result: string;
    readonly kind: string | null;
    readonly id: string | null;
    readonly notVerified?: NotVerifiedFields;
    /** The path of a request to an unknown path or source. */
    readonly path?: string;
    /** Its method, where it may not be that of a webhook. */
    readonly method?: string;
    readonly bytes: number;
    readonly durationMs: number;
  };
  /** A webhook was not stored because Portaria or its store failed. */
  'webhook.failed': { readonly source: string; readonly result: string; readonly error: unknown };
  /** A webhook of an observed source was taken. `scheme` is the one that it passes, or `none` with the reason in `result`. */
  'webhook.observed': { readonly source: string; readonly scheme: string; readonly result: string };
  /** A message id was reused with different content, which is in quarantine. */
  'webhook.conflict': { readonly source: string; readonly id: string; readonly quarantineId: string };
  /** The quarantine dropped entries to make room for a new one, or the new one for lack of room. */
  'quarantine.dropped': { readonly source: string; readonly entries: number };
  /** A received webhook was stored as a new event. */
  'event.stored': {
    readonly id: string;
    readonly kind: string;
    readonly source: string;
    readonly subject: { readonly family: string; readonly id: string };
    readonly verdict: 'new' | 'stale' | 'ambiguous';
    readonly flags: readonly string[];
    /** Milliseconds since 1970. */
    readonly receivedAt: number;
    /** Deliveries that wait to run. */
    readonly pending: number;
  };
  /** An ambiguous event was checked with the provider. `reason` says why that failed, if it did. */
  'event.resolved': {
    readonly event: string;
    readonly kind: string;
    readonly resolution: 'confirmed' | 'superseded' | 'unconfirmed';
    readonly reason: string | null;
  };
  'delivery.started': DeliveryFields;
  'delivery.succeeded': DeliveryFields & { readonly durationMs: number };
  'delivery.skipped': DeliveryFields & { readonly durationMs: number; readonly reason: string };
  'delivery.retrying': DeliveryFields & {
    readonly durationMs: number;
    readonly reason: string;
    readonly waitMs: number;
  };
  /** With `hold`, its lane waits behind it. */
  'delivery.dead': TelemetryEvents['delivery.skipped'] & { readonly hold?: boolean };
  /** A delivery was released unfinished, because of a shutdown or an open breaker. */
  'delivery.released': DeliveryFields & { readonly reason: string };
  /** Deliveries that waited were skipped for a newer one of their lane, which runs. */
  'deliveries.superseded': { readonly handler: string; readonly deliveries: number };
  'machine.anomaly': {
    readonly machine: string;
    readonly subject: string;
    readonly event: string;
    readonly message: string;
  };
  /** A handler kept failing: its breaker is open for `openMs`, until the next probe. */
  'breaker.opened': { readonly handler: string; readonly openMs: number; readonly reason: string };
  'breaker.probing': { readonly handler: string };
  'breaker.closed': { readonly handler: string };
  /** A delivery waits for the rate of its handler. */
  'rate.deferred': { readonly handler: string };
  /** A target limits calls: nothing of the handler's rate starts for so long. */
  'rate.closed': { readonly handler: string; readonly bucket: string; readonly waitMs: number };
  /** Deliveries were released before they began: shutdown, open breaker, or unreadable events. */
  'dispatch.released': {
    readonly handler: string;
    readonly deliveries: number;
    readonly reason: string;
  };
  'dispatch.recovered': { readonly deliveries: number };
  /** Other processes have ended this one's lease: it was frozen or cut off. `attempts` ran, and were aborted. */
  'lease.lost': { readonly attempts: number };
  /** A response of the provider's API differs from the contract. `message` contains no value. */
  'provider.drift': { readonly operation: string; readonly path: string; readonly message: string };
  /** An operator acted at the private port or by the command line, or a request was rejected at the port. */
  'operator.acted': OperatorAction;
  /** An action could not be recorded in the audit. */
  'audit.failed': { readonly action: string; readonly reason: string };
  /** Something needs an operator, or no longer does. `summary` contains no payload data. */
  'problem.began': ProblemFields;
  'problem.ended': ProblemFields;
  /** A message about a problem was delivered, or will be sent again. */
  'alert.sent': { readonly alert: string };
  'alert.failed': {
    readonly alert: string;
    readonly attempt: number;
    readonly waitMs: number;
    readonly reason: string;
  };
  /** A check for problems failed; the next one is a minute later. */
  'watch.failed': { readonly reason: string };
  /** Retention checked everything and pruned what was too old. `waiting` events and `held` rows stay. */
  'retention.ran': {
    readonly events: number;
    readonly bytes: number;
    readonly quarantine: number;
    readonly deliveries: number;
    readonly discarded: number;
    readonly waiting: number;
    readonly held: number;
    readonly givenBack: number;
    readonly durationMs: number;
  };
  /** A copy of the database was made and checked; so many old ones were removed. */
  'backup.made': { readonly file: string; readonly removed: number; readonly durationMs: number };
  /** A copy could not be made, and is tried again. */
  'backup.failed': { readonly file: string; readonly reason: string };
  /** A look at the provider's records of a family ended. `differing` counts subjects. */
  'reconcile.looked': {
    readonly source: string;
    readonly family: string;
    readonly subjects: number;
    readonly differing: number;
    readonly durationMs: number;
  };
  /** Records of so many subjects were stored as events, after a look. */
  'reconcile.repaired': { readonly source: string; readonly family: string; readonly subjects: number };
  /** A family could not be looked at, and is tried again. */
  'reconcile.failed': { readonly source: string; readonly family: string; readonly reason: string };
  /** A run of retention failed, and is repeated at its next time. */
  'retention.failed': { readonly reason: string };
  /**
   * The event loop has not turned for `silentMs`, and the watchdog ends the process. `running` is the attempt that held
   * the thread, or all that ran; `stack` is empty when the thread is in native code.
   */
  'process.stalled': {
    readonly silentMs: number;
    /** Whether the process had been asked to stop, and its grace is over. */
    readonly isStopping: boolean;
    readonly running: readonly Pick<DeliveryFields, 'delivery' | 'event' | 'handler' | 'attempt'>[];
    readonly stack: readonly string[];
  };
  /** The store can be written again, after `awayMs`. `refused` webhooks got 503 meanwhile. */
  'store.back': { readonly awayMs: number; readonly refused: number };
  /** The store failed during dispatch, which retries by itself. */
  'dispatch.failed': { readonly reason: string };
}

/** Audit record of a request at the private port or of a command, without personal data or tokens. */
export interface OperatorAction {
  /** The operation id, such as `retryDeliveries`; `authenticate` for a rejected request. */
  readonly action: string;
  /** Whether the request asked for unmasked personal data. */
  readonly unmasked: boolean;
  /** Ids and filters of the request, by name. */
  readonly subject: Readonly<Record<string, string>>;
  /**
   * How the request was authenticated; `proxy` for a person whom a trusted proxy named, `command-line` for a user
   * of this machine; null if it was rejected. The audit has the names.
   */
  readonly actor: 'token' | 'loopback' | 'proxy' | 'command-line' | null;
  /** The client's address; null without a connection. */
  readonly address: string | null;
  readonly result: 'done' | 'failed' | 'rejected';
  /** HTTP status of the response. */
  readonly status: number;
  /** The id of its entry in the audit; null for what is counted or changes nothing. */
  readonly audit: string | null;
}

/** Why a sender is not verified. */
export interface NotVerifiedFields {
  /** `missing`, `malformed`, `repeated`, `mismatch`, `too-old` or `too-new`. */
  readonly reason: string;
  /** The same as a sentence. */
  readonly detail: string;
  /** Seconds between the sender's clock and this one; null for any other reason than `too-old` and `too-new`. */
  readonly clockSeconds: number | null;
}

export interface ProblemFields {
  /** The kind of problem, such as `dead-letters`. */
  readonly problem: string;
  /** The handler or source that it concerns, if any. */
  readonly of: string | null;
  readonly summary: string;
}

export interface DeliveryFields {
  readonly delivery: string;
  readonly event: string;
  readonly handler: string;
  readonly kind: string;
  readonly attempt: number;
  readonly replay: boolean;
}

export type TelemetryName = keyof TelemetryEvents;

export type TelemetrySubscriber = <N extends TelemetryName>(name: N, fields: TelemetryEvents[N]) => void;

/** Where all parts of Portaria emit their events. */
export interface Telemetry {
  /** Never throws: see `fanOut`. */
  emit<N extends TelemetryName>(name: N, fields: TelemetryEvents[N]): void;
}

/**
 * Emits each telemetry event to every subscriber, in order. Never throws: the first error of each subscriber is
 * logged, because one that fails may fail for every webhook.
 */
export function fanOut(subscribers: readonly TelemetrySubscriber[], log: Pick<Logger, 'error'>): Telemetry {
  const failed = new Set<TelemetrySubscriber>();

  function report(subscriber: TelemetrySubscriber, event: string, error: unknown): void {
    if (failed.has(subscriber)) return;
    failed.add(subscriber);
    log.error(
      { event, reason: failureReason(error) },
      'a telemetry subscriber failed: what it reports is incomplete, and its further errors are not logged',
    );
  }

  return {
    emit(name, fields) {
      for (const subscriber of subscribers) {
        try {
          subscriber(name, fields);
        } catch (error) {
          report(subscriber, name, error);
        }
      }
    },
  };
}
