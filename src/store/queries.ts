import type { ParseIssue, RejectionReason } from '../event/delivery.ts';
import type { EventRecord, StoredDelivery, Verdict } from '../event/stored-event.ts';
import type { Subject } from '../event/subject.ts';

export type DeliveryStatus = 'pending' | 'running' | 'succeeded' | 'dead' | 'skipped';

export interface DeliveryRecord {
  readonly id: string;
  readonly eventId: string;
  readonly kind: string;
  readonly source: string;
  readonly subject: Subject;
  readonly handler: string;
  /** The machine's effect, when it is one. */
  readonly effect: string | null;
  readonly replay: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** Why the last try failed, or why it was skipped or is dead. */
  readonly lastError: string | null;
  /** Milliseconds since 1970; null unless pending. */
  readonly dueAt: number | null;
  /** Milliseconds since 1970; null until it ended. */
  readonly finishedAt: number | null;
}

export type QuarantineStatus = 'held' | 'released';

export interface QuarantineRecord {
  /** `q` and a number. */
  readonly id: string;
  readonly source: string;
  readonly status: QuarantineStatus;
  readonly reason: RejectionReason;
  readonly kind: string | null;
  readonly message: string;
  readonly issues: readonly ParseIssue[];
  readonly receivedAt: number;
  readonly repeats: number;
  readonly lastRepeatAt: number | null;
  /** The event it became, once released. */
  readonly eventId: string | null;
}

export interface QuarantinedDelivery extends QuarantineRecord {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly messageId: string | null;
  readonly senderVerified: boolean;
  /** Whether the signature covered the id, or a setting trusted it. */
  readonly messageIdTrusted: boolean;
}

/** All given conditions must hold. Times are milliseconds since 1970. */
export interface EventFilter {
  readonly ids?: readonly string[];
  /** Kinds or wildcards: any of them. */
  readonly kinds?: readonly string[];
  readonly subject?: Subject;
  readonly source?: string;
  readonly verdict?: Verdict;
  readonly flag?: string;
  /** Received at or after. */
  readonly since?: number;
  /** Received before. */
  readonly until?: number;
  /** Stored no later than the event of this id, whatever the clock read. */
  readonly upTo?: string;
  /** With a delivery in this status. */
  readonly status?: DeliveryStatus;
}

/** `after`/`before` are ids of the last row of the previous page. */
export interface EventPage {
  readonly order: 'oldest' | 'newest';
  readonly limit: number;
  readonly after?: string;
}

export interface DeliveryFilter {
  readonly ids?: readonly string[];
  readonly eventId?: string;
  /** Of any of these events. */
  readonly eventIds?: readonly string[];
  readonly handler?: string;
  readonly status?: DeliveryStatus;
  readonly subject?: Subject;
  readonly source?: string;
  readonly replay?: string;
}

export interface QuarantineFilter {
  readonly ids?: readonly string[];
  readonly source?: string;
  readonly reason?: RejectionReason;
  readonly status?: QuarantineStatus;
  readonly kind?: string;
}

export interface KindCount {
  readonly events: number;
  readonly lastReceivedAt: number;
}

/** What costs the same however much is stored, and whatever kinds were made up. */
export interface StoreTotals {
  readonly quarantineHeld: number;
  /** What the held ones count for, and may count for at most. */
  readonly quarantineBytes: number;
  readonly quarantineMaxBytes: number;
  /** By the quota, ever; by whether their senders were verified. */
  readonly quarantineDropped: { readonly verified: number; readonly unverified: number };
  readonly byHandler: readonly ({ readonly handler: string } & Readonly<Record<DeliveryStatus, number>>)[];
  /** Milliseconds since 1970 of the oldest event that a handler has yet to finish. */
  readonly oldestPendingAt: number | null;
  readonly bytes: number;
}

export interface StoreStatistics extends StoreTotals {
  readonly storeId: string;
  readonly events: number;
  readonly repeats: number;
  readonly byVerdict: Readonly<Record<Verdict, number>>;
  readonly unrecognized: number;
  readonly subjects: number;
  readonly deliveries: Readonly<Record<DeliveryStatus, number>>;
  readonly byKind: readonly ({ readonly kind: string } & KindCount)[];
  /** Of kinds outside the contract that came when 1,000 of them were known; null when there are none. */
  readonly otherKinds: KindCount | null;
  readonly anomalies: number;
}

/** All events of a subject in arrival order, as numbers, which their ids end in. */
export interface SubjectTrail {
  readonly events: Float64Array;
  /** For each the earlier event that it is best compared with; 0 for none. */
  readonly predecessorsOf: Float64Array;
}

/** Reads for people: the CLI and the private port. Never on the hot path. */
export interface Queries {
  events(filter: EventFilter, page: EventPage): Promise<readonly EventRecord[]>;
  /** By full id or its number alone. */
  event(id: string): Promise<StoredDelivery | null>;
  deliveries(
    filter: DeliveryFilter,
    page: { readonly order: 'oldest' | 'newest'; readonly limit: number; readonly after?: string },
  ): Promise<readonly DeliveryRecord[]>;
  quarantined(
    filter: QuarantineFilter,
    page: { readonly order: 'oldest' | 'newest'; readonly limit: number; readonly after?: string },
  ): Promise<readonly QuarantineRecord[]>;
  /** Null when there is none, or none any more. */
  quarantinedDelivery(id: string): Promise<QuarantinedDelivery | null>;
  /** Those of the ids that the quota has dropped. */
  droppedFromQuarantine(ids: readonly string[]): Promise<readonly string[]>;
  /** @param source all sources of the subject unless given; what different ones sent is never compared */
  subjectTrail(subject: Subject, source?: string): Promise<SubjectTrail>;
  statistics(): Promise<StoreStatistics>;
  /** Those of the statistics that metrics need. */
  totals(): Promise<StoreTotals>;
}
