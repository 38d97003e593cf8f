/**
 * Everything Portaria reports about itself, and the fields it reports. Metrics
 * and logs are subscribers; nothing here carries payload data. Durations are
 * milliseconds, sizes bytes.
 */
export interface TelemetryEvents {
  /** An answer was given on the public port. */
  'webhook.responded': {
    readonly source: string;
    readonly status: number;
    /** `accepted`, `stale`, `unrecognized`, `duplicate`, `quarantined`, or the error's code. */
    readonly result: string;
    readonly kind: string | null;
    readonly id: string | null;
    readonly bytes: number;
    readonly durationMs: number;
  };
  /** A webhook was not taken in for a reason of our own. */
  'webhook.failed': { readonly source: string; readonly result: string; readonly error: unknown };
  /** A message id came again with another content; the bytes are in quarantine. */
  'webhook.conflict': { readonly source: string; readonly id: string; readonly quarantineId: string };
  /** The quota dropped entries of the quarantine to make room for one, or had no room for it. */
  'quarantine.dropped': { readonly source: string; readonly entries: number };
  /** The provider was asked about an ambiguous event, or could not be: then `reason` says why. */
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
  'delivery.dead': DeliveryFields & { readonly durationMs: number; readonly reason: string };
  /** Given back unfinished: shutdown, or the handler is paused. */
  'delivery.released': DeliveryFields & { readonly reason: string };
  'machine.anomaly': {
    readonly machine: string;
    readonly subject: string;
    readonly event: string;
    readonly message: string;
  };
  /** A handler kept failing and is paused; `pauseMs` until the next probe. */
  'breaker.opened': { readonly handler: string; readonly pauseMs: number; readonly reason: string };
  'breaker.probing': { readonly handler: string };
  'breaker.closed': { readonly handler: string };
  /** Given back before they began: shutdown, the handler is paused, or their events cannot be read. */
  'dispatch.released': {
    readonly handler: string;
    readonly deliveries: number;
    readonly reason: string;
  };
  'dispatch.recovered': { readonly deliveries: number };
  /** An answer of the provider's API is not what the contract says; `message` holds no value. */
  'provider.drift': { readonly operation: string; readonly path: string; readonly message: string };
  /** Somebody acted at the private port, or was refused there. */
  'operator.acted': OperatorAction;
  /** The store failed under the dispatcher, which tries again by itself. */
  'dispatch.failed': { readonly reason: string };
}

/** Who did what at the private port. Will be the audit: no personal data, no token. */
export interface OperatorAction {
  /** The operation, such as `retryDeliveries`; `authenticate` of what was refused. */
  readonly action: string;
  /** Whether personal data was asked for as it is. */
  readonly unmasked: boolean;
  /** What it was about: ids and conditions by their names. */
  readonly subject: Readonly<Record<string, string>>;
  /** Whoever has the token, or reaches the loopback address; null when refused. */
  readonly actor: 'token' | 'loopback' | null;
  /** Where the connection came from; null when the port is called without one. */
  readonly address: string | null;
  readonly result: 'done' | 'failed' | 'refused';
  /** Of the answer. */
  readonly status: number;
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

/** Where the stages report to. */
export interface Telemetry {
  emit<N extends TelemetryName>(name: N, fields: TelemetryEvents[N]): void;
}
