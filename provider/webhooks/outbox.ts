import type { SendingEndpoint } from './sending-endpoint.ts';
import type { DeliveryStatus, RepeatKind } from './webhook-tables.ts';

/** A webhook that is to be sent to one endpoint. */
export interface DueDelivery {
  readonly id: number;
  readonly eventId: number;
  readonly status: 'pending' | 'aside';
  /** Tries so far. */
  readonly attempts: number;
  /** ISO 8601: when it is to be tried (again). */
  readonly dueAt: string;
  readonly repeats: RepeatKind | null;
  readonly body: string;
}

/** What is to be written about a delivery after a try. */
export interface Settlement {
  readonly id: number;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** ISO 8601: when it is tried next, or when it ended. */
  readonly dueAt: string;
  readonly failure: string | null;
}

/** A webhook that chaos sends once more. */
export interface Repeat {
  /** The delivery that it repeats. */
  readonly of: number;
  readonly kind: RepeatKind;
  readonly dueAt: string;
}

export interface LaneKey {
  readonly endpoint: number;
  readonly lane: number;
}

export type RecordedDelivery = DueDelivery & LaneKey;

export interface EndpointRow extends SendingEndpoint {
  readonly lanes: number;
}

export interface WaitingAside extends LaneKey {
  /** ISO 8601 */
  readonly dueAt: string;
}

/** The rows that {@link recordChange} writes, as the sender reads them. */
export interface OutboxReads {
  endpoints(): readonly EndpointRow[];
  /** The id of the newest delivery; 0 when there is none. */
  newest(): number;
  /** Pending ones of all lanes behind that one, oldest first, {@link READ_AT_A_TIME} at most. */
  recordedAfter(id: number): readonly RecordedDelivery[];
  /** Pending ones of a lane behind that one, oldest first, {@link READ_AT_A_TIME} at most. */
  pendingAfter(lane: LaneKey, id: number): readonly DueDelivery[];
  /** Those of a lane that wait aside and are due now, {@link READ_AT_A_TIME} at most. */
  dueAside(lane: LaneKey, now: string): readonly DueDelivery[];
  /** When the next one of a lane that waits aside is due, ISO 8601; null when none is. */
  nextAside(lane: LaneKey): string | null;
  /** The same for every lane that has one. */
  waitingAside(): readonly WaitingAside[];
}

export type OutboxWrites = (settled: readonly Settlement[], repeats: readonly Repeat[]) => void;

/** Bodies have a few kilobytes. */
export const READ_AT_A_TIME = 100;

/** Reads never see what a change has written and not yet committed; a write is one transaction. */
export type Outbox = {
  readonly [Name in keyof OutboxReads]: (
    ...parameters: Parameters<OutboxReads[Name]>
  ) => Promise<ReturnType<OutboxReads[Name]>>;
} & {
  settle(...parameters: Parameters<OutboxWrites>): Promise<void>;
};
