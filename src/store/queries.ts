/** What operators read from a store: events, deliveries, subjects, quarantine, statistics. */
import type { ContentSearch } from '../event/content/content-test.ts';
import type { ParseIssue, RejectionReason } from '../event/delivery.ts';
import type { EventRecord, StoredDelivery, Verdict } from '../event/stored-event.ts';
import type { Subject } from '../event/subject.ts';
import type { Pause } from './pauses.ts';
import type { RetentionRecord } from './retention.ts';

export type DeliveryStatus = 'pending' | 'running' | 'succeeded' | 'dead' | 'skipped';

export interface DeliveryRecord {
  readonly id: string;
  readonly eventId: string;
  readonly kind: string;
  readonly source: string;
  readonly subject: Subject;
  readonly handler: string;
  /** The name of the machine's effect; null for a delivery to a handler. */
  readonly effect: string | null;
  readonly replay: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** Why the last attempt failed, or why the delivery is skipped or dead. */
  readonly lastError: string | null;
  /** When its rate may allow it, in milliseconds since 1970; null when it waits for none. */
  readonly rateUntil: number | null;
  /** Milliseconds since 1970; null unless pending. */
  readonly dueAt: number | null;
  /** Milliseconds since 1970; null until finished. */
  readonly finishedAt: number | null;
  /** The operator's pause that it waits for; null unless it is pending. */
  readonly pausedBy: Pause | null;
}

/** How an attempt ended: it failed, was the last, or the process ended with it. */
export type AttemptOutcome = 'failed' | 'dead' | 'interrupted';

/** An attempt of a delivery that did not succeed. Times are milliseconds since 1970. */
export interface AttemptRecord {
  readonly deliveryId: string;
  /** Its number since the delivery was enqueued or retried by hand, from 1. */
  readonly attempt: number;
  readonly outcome: AttemptOutcome;
  readonly endedAt: number;
  /** Null when it is not known: the process ended, or nothing ran. */
  readonly durationMs: number | null;
  /** When the next attempt was due; null when none followed by itself. */
  readonly dueAt: number | null;
  /** Null once pruned. */
  readonly error: string | null;
}

export type QuarantineStatus = 'held' | 'released';

export interface QuarantineRecord {
  /** `q` and a number. */
  readonly id: string;
  readonly source: string;
  readonly status: QuarantineStatus;
  readonly reason: RejectionReason;
  readonly kind: string | null;
  /** The subject that its data names, as `family:id`; null when unreadable. */
  readonly subject: string | null;
  readonly message: string;
  readonly issues: readonly ParseIssue[];
  readonly receivedAt: number;
  readonly repeats: number;
  readonly lastRepeatAt: number | null;
  readonly messageId: string | null;
  /** The id of its event, once released. */
  readonly eventId: string | null;
  /** Whether a person was erased from the body. */
  readonly erased: boolean;
}

export interface QuarantinedDelivery extends QuarantineRecord {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly senderVerified: boolean;
  /** Whether the signature covers the id, or a setting trusts it. */
  readonly messageIdTrusted: boolean;
}

/** What belongs to a company, as far as it was looked for. */
export interface CompanySubjects {
  readonly subjects: readonly SourceSubject[];
  /** Whether there are older events, which were not searched. */
  readonly partial: boolean;
}

/** Selects what belongs to a company. Its number alone selects nothing: `withCompany` adds its subjects. Events can be selected by subjects alone. */
export interface OfCompany extends Partial<CompanySubjects> {
  readonly company?: string;
}

/** Selects events that meet all given conditions. Times are milliseconds since 1970. */
export interface EventFilter extends OfCompany {
  readonly ids?: readonly string[];
  /** Of any of these kinds or wildcards. */
  readonly kinds?: readonly string[];
  readonly subject?: Subject;
  readonly source?: string;
  readonly verdict?: Verdict;
  readonly flag?: string;
  /** Received at or after. */
  readonly since?: number;
  /** Received before. */
  readonly until?: number;
  /** Stored no later than the event of this id. */
  readonly upTo?: string;
  /** With a delivery in this status, to one of these handlers, that failed with this kind of error: one that is all of it. */
  readonly status?: DeliveryStatus;
  readonly handlers?: readonly string[];
  readonly error?: string;
}

/** A subject of one source: ids of different sources are never compared. */
export interface SourceSubject {
  readonly source: string;
  readonly subject: Subject;
}

/** A subject, and its latest event: that with the highest version, or received last. */
export interface SubjectRecord extends SourceSubject {
  /** The id of the latest event, by which subjects are ordered. */
  readonly id: string;
  readonly kind: string;
  readonly receivedAt: number;
  /** The number of its events. */
  readonly events: number;
}

/** Selects subjects that meet all given conditions. Times are milliseconds since 1970. */
export interface SubjectFilter extends OfCompany {
  readonly family?: string;
  readonly source?: string;
  /** With a latest event received at or after. */
  readonly since?: number;
  /** With a latest event received before. */
  readonly until?: number;
}

/** `after` is the id of the last row of the previous page. */
export interface EventPage {
  readonly order: 'oldest' | 'newest';
  readonly limit: number;
  readonly after?: string;
}

/** Selects deliveries; of a company, those of events about what belongs to it. */
export interface DeliveryFilter extends OfCompany {
  readonly ids?: readonly string[];
  /** None of these: what a plan leaves out. */
  readonly exceptIds?: readonly string[];
  readonly eventId?: string;
  /** Of any of these events. */
  readonly eventIds?: readonly string[];
  readonly handler?: string;
  readonly status?: DeliveryStatus;
  readonly subject?: Subject;
  readonly source?: string;
  readonly replay?: string;
  /** Whose last error is of this kind: its fingerprint (see `FailureGroup`). Only dead and unfinished ones. */
  readonly error?: string;
  /** Without a later failed attempt than that of this number (see `Plans.lastAttempt`). */
  readonly failedUpTo?: number;
  /** That failed or ended no later, in milliseconds since 1970: without effect beside `failedUpTo`, which 1.0 does not know. */
  readonly endedUpTo?: number;
  /** Stored no later than the delivery of this id. */
  readonly upTo?: string;
}

export interface QuarantineFilter {
  readonly ids?: readonly string[];
  readonly source?: string;
  readonly reason?: RejectionReason;
  readonly status?: QuarantineStatus;
  readonly kind?: string;
  readonly subject?: Subject;
  /** With this problem: its fingerprint (see `ProblemGroup`). */
  readonly problem?: string;
  /** Received no later than the entry of this id. */
  readonly upTo?: string;
}

export interface KindCount {
  readonly events: number;
  readonly lastReceivedAt: number;
}

/** Statistics whose cost does not grow with the store or with invented kinds. */
export interface StoreTotals {
  readonly quarantined: number;
  /** Those by reason, without reasons that hold none. */
  readonly quarantineByReason: readonly { readonly reason: RejectionReason; readonly held: number }[];
  /** The bytes that the held entries count for. */
  readonly quarantineBytes: number;
  /** The quota. */
  readonly quarantineMaxBytes: number;
  /** The number of entries that the quota has dropped, by whether their senders were verified. */
  readonly quarantineDropped: { readonly verified: number; readonly unverified: number };
  readonly byHandler: readonly ({ readonly handler: string } & Readonly<Record<DeliveryStatus, number>>)[];
  /** When the oldest event with an unfinished delivery was received, in milliseconds since 1970. */
  readonly oldestPendingAt: number | null;
  readonly bytes: number;
  /** Bytes in the file that nothing uses. */
  readonly freeBytes: number;
  /** Whether the file gives them back in steps; otherwise it must be compacted once. */
  readonly givesBackSpace: boolean;
  readonly retention: RetentionRecord;
  /** The pauses in force, the oldest first: those of operators, and lanes behind dead letters. */
  readonly pauses: readonly Pause[];
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
  /** Events of unknown kinds beyond the first 1,000 of them; null when there are none. */
  readonly otherKinds: KindCount | null;
  readonly anomalies: number;
}

/** All events of a subject in arrival order, as the numbers that their ids end in. */
export interface SubjectTrail {
  readonly events: Float64Array;
  /** For each event, the earlier event to compare it with; 0 for none. */
  readonly predecessors: Float64Array;
}

/** The number of an event's deliveries in one status. */
export interface EventDeliveries {
  readonly eventId: string;
  readonly status: DeliveryStatus;
  readonly deliveries: number;
}

/** One step of a search: looks at events from the newest to the oldest, for a bounded time. */
export interface EventScan {
  readonly filter: EventFilter;
  /** What payloads must hold; null looks at none. */
  readonly content: ContentSearch | null;
  /** Ends the step after so many events that match. */
  readonly limit: number;
  /** Begins below the event of this id; at the newest by default. */
  readonly after?: string;
  /** Milliseconds after which the step ends. It always looks at some events. */
  readonly maxMs: number;
}

/** What a step of a search found. */
export interface ScannedEvents {
  readonly found: readonly EventRecord[];
  /** The id of the last event that was looked at, and when it was received; null when there was none. */
  readonly through: string | null;
  readonly throughAt: number | null;
  /** How many events were looked at. */
  readonly looked: number;
  /** Whether no older event is left. */
  readonly isEnd: boolean;
}

/** Reads for operators: the CLI and the private port. Never on the hot path. */
export interface Queries {
  events(filter: EventFilter, page: EventPage): Promise<readonly EventRecord[]>;
  /** Looks for events in bounded steps, so that neither deliveries nor other operators wait for a rare match. */
  scanEvents(scan: EventScan): Promise<ScannedEvents>;
  /**
   * Counts the events of a filter, the newest first, up to a number and for a bounded time.
   *
   * @returns the count, and whether it is of all events
   */
  countEvents(
    filter: EventFilter,
    bounds: { readonly max: number; readonly maxMs: number },
  ): Promise<{ readonly count: number; readonly isWhole: boolean }>;
  /** Finds an event by its id, or its number alone. */
  event(id: string): Promise<StoredDelivery | null>;
  deliveries(
    filter: DeliveryFilter,
    page: { readonly order: 'oldest' | 'newest'; readonly limit: number; readonly after?: string },
  ): Promise<readonly DeliveryRecord[]>;
  /** Lists the attempts of deliveries that did not succeed, oldest first: the latest 50 of each. */
  attempts(deliveryIds: readonly string[]): Promise<readonly AttemptRecord[]>;
  /** Counts the deliveries of each event by status. Events without deliveries are left out. */
  deliveriesOf(eventIds: readonly string[]): Promise<readonly EventDeliveries[]>;
  quarantined(
    filter: QuarantineFilter,
    page: { readonly order: 'oldest' | 'newest'; readonly limit: number; readonly after?: string },
  ): Promise<readonly QuarantineRecord[]>;
  /** Returns null for an unknown or dropped entry. */
  quarantinedDelivery(id: string): Promise<QuarantinedDelivery | null>;
  /** Returns the ids of the entries that the quota or retention has dropped. */
  droppedFromQuarantine(ids: readonly string[]): Promise<readonly string[]>;
  /** Lists subjects by their latest events, newest first. */
  subjects(
    filter: SubjectFilter,
    page: { readonly limit: number; readonly after?: string },
  ): Promise<readonly SubjectRecord[]>;
  /**
   * Finds what belongs to a company: the company and its logins by their id; and, among the newest events, the
   * subjects whose payload names it (specification, `company.id`), with the slips of its violations.
   *
   * @param newest the number of events to search: their bodies are read
   */
  companySubjects(company: string, newest: number): Promise<CompanySubjects>;
  /** @param source all sources by default; events of different sources are never compared */
  subjectTrail(subject: Subject, source?: string): Promise<SubjectTrail>;
  /** Returns the bytes of each event's body; 0 once pruned. */
  bodySizes(eventIds: readonly string[]): Promise<readonly number[]>;
  statistics(): Promise<StoreStatistics>;
  /** Counts the unrecognized events by kind, without those of kinds that are counted together. */
  unrecognizedKinds(): Promise<readonly { readonly kind: string; readonly events: number }[]>;
  /** Returns the part of the statistics that metrics need. */
  totals(): Promise<StoreTotals>;
}
