/**
 * What happens around receiving and around attempts in a process with OpenTelemetry. These types name none of its API,
 * which a user of Portaria may not have installed.
 */
import type { RawDelivery, VerifiedDelivery } from '../event/delivery.ts';
import type { Receipt } from '../event/receipt.ts';

export interface Tracing {
  /** Receives a webhook in a span: a child of the active one, of a server, where there is one. */
  receive(
    raw: RawDelivery,
    receive: (raw: RawDelivery, span: ReceiveSpan) => Promise<Receipt>,
  ): Promise<Receipt>;
  /** Starts the span of an attempt: a root with a link to where its event came from, or a child of that; `unseen`, it is measured only. */
  process(delivery: TracedDelivery, as: 'link' | 'child' | 'unseen'): ProcessSpan;
  /** Runs what belongs to no request and no attempt, whoever caused it. */
  outside<T>(run: () => T): T;
}

/** The tracing of a process; undefined without OpenTelemetry. It may come after the process was put together. */
export type FindTracing = () => Tracing | undefined;

export interface ReceiveSpan {
  /** Runs the verification within the span: it may be a user's function. */
  verify<T>(run: () => T): T;
  /** Links the span to the sender's, where it is known, and takes its place in the headers to store. */
  keep(delivery: VerifiedDelivery): VerifiedDelivery;
}

/** The delivery of an attempt, as far as its span tells. */
export interface TracedDelivery {
  readonly id: string;
  readonly handler: string;
  readonly attempt: number;
  readonly replay: string | null;
  readonly traceparent: string | null;
  readonly event: { readonly id: string; readonly kind: string; readonly source: string };
}

export interface ProcessSpan {
  /** What the attempt sends on: of the span, or of the event where no span is made. */
  readonly traceparent: string | null;
  run<T>(run: () => T): T;
  /**
   * Ends the span, and measures the attempt.
   *
   * @param failure undefined unless the attempt has failed
   */
  end(outcome: string, failure: Failure | undefined, durationMs: number): void;
}

export interface Failure {
  /** The class of the error, `timed-out`, or what the handler asked for: `gave-up`, `retry-later`. */
  readonly type: string;
  /** Not masked yet. */
  readonly reason: string;
}
