/** What a store reads to plan a change of many rows: failures and entries by group, and their numbers. */
import type { RejectionReason } from '../event/delivery.ts';
import type { IdentifiedEvent } from '../event/event.ts';
import type { Verdict } from '../event/stored-event.ts';
import type { Subject } from '../event/subject.ts';
import type {
  DeliveryFilter,
  QuarantineFilter,
  QuarantineRecord,
  OfCompany,
  SourceSubject,
  DeliveryRecord,
} from './queries.ts';

/** Whether a plan or selection, as JSON, has a condition that version 1.0 would leave out, and so widen it. */
export const hasNewCondition = (json: string): boolean =>
  json.includes('"company":') ||
  json.includes('"repair":') ||
  (json.includes('"entries":') && json.includes('"subject":'));

/** The share of a handler in a plan for deliveries. */
export interface PlannedHandler {
  readonly handler: string;
  readonly deliveries: number;
  readonly lanes: number;
  /** Deliveries that an operator has retried before. */
  readonly retriedBefore: number;
  /** When the first of them ended, in milliseconds since 1970; null while none has. */
  readonly oldestAt: number | null;
}

/** A lane with many deliveries of a plan. */
export interface PlannedLane {
  readonly handler: string;
  readonly subject: Subject;
  readonly deliveries: number;
}

/** What a filter selects of the deliveries, in numbers. */
export interface DeliveryCounts {
  readonly handlers: readonly PlannedHandler[];
  /** The lanes with most of them, ten at most. */
  readonly lanes: readonly PlannedLane[];
}

/** A delivery that is overtaken: its handler handles a later event of the subject first. */
export interface OvertakenDelivery {
  readonly id: string;
  readonly handler: string;
  /** The later event. */
  readonly by: string;
  /** How many of the selected deliveries of this handler are overtaken. */
  readonly ofHandler: number;
}

/** An event that is not stored yet: when it arrived, and what orders it within its subject. */
export interface Arrival extends SourceSubject {
  readonly version: string | null;
  readonly receivedAt: number;
}

/** Held entries with the same problem: the same reason, kind, path and text of the first issue. */
export interface ProblemGroup {
  /** The fingerprint of the problem: 12 hexadecimal digits. */
  readonly problem: string;
  readonly reason: RejectionReason;
  readonly entries: number;
  /** How many subjects they name. */
  readonly subjects: number;
  /** How often the same bytes came again. */
  readonly repeats: number;
  /** When the first of them arrived, and when the last one or a repeat did, in milliseconds since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** The newest of them. */
  readonly sample: QuarantineRecord;
}

/** What decides about an event that is not accepted yet. */
export interface UndecidedEvent extends Pick<
  IdentifiedEvent,
  'subject' | 'formerId' | 'digest' | 'messageDigest' | 'version'
> {
  readonly source: string;
  readonly recognized: boolean;
}

/** What accepting an event would make of it. */
export type Prediction = Verdict | 'duplicate' | 'conflict';

/** Numbers for operators who plan to change many rows. Never on the hot path. */
export interface Plans {
  /** The number of the newest failed attempt, 0 without any. A later one has a higher number, whatever the clocks say. */
  lastAttempt(): Promise<number>;
  countDeliveries(filter: DeliveryFilter): Promise<DeliveryCounts>;
  /**
   * Finds the overtaken ones among the deliveries that a filter selects: those of these handlers, `limit` of each.
   * The later of two events is that with the higher version, or where one has none, that which arrived later.
   */
  overtaken(
    filter: DeliveryFilter,
    among: { readonly handlers: readonly string[]; readonly limit: number },
  ): Promise<readonly OvertakenDelivery[]>;
  /** Of these handlers, those that handle a later event before one that would be stored now. */
  overtakenArrival(
    arrival: Arrival,
    handlers: readonly string[],
  ): Promise<readonly Pick<OvertakenDelivery, 'handler' | 'by'>[]>;
  /** Counts entries. */
  countEntries(filter: QuarantineFilter): Promise<number>;
  /** The groups of held entries, that which arrived last first; 200 at most. */
  problemGroups(): Promise<readonly ProblemGroup[]>;
  /** Predicts the verdicts of events if they were accepted now, one after the other. Nothing changes. */
  predictVerdicts(events: readonly UndecidedEvent[]): Promise<readonly Prediction[]>;
}

/** Failing deliveries of a group that are counted, and deliveries whose subjects are. */
export const MAX_FAILING_COUNTED = 1000;

/** Failed deliveries of one handler whose errors are of one kind. */
export interface FailureGroup {
  readonly handler: string;
  /** The fingerprint of the kind of error: 12 hexadecimal digits. The same in every store. */
  readonly error: string;
  /** Deliveries that failed for good. */
  readonly dead: number;
  /** Unfinished deliveries whose last attempt failed so: 1,000 at most are counted. */
  readonly failing: number;
  /** Their subjects: those of 1,000 deliveries at most. */
  readonly subjects: number;
  /** When it happened first and last, in milliseconds since 1970. The first counts from when nothing had failed so. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** The newest such delivery. */
  readonly sample: DeliveryRecord;
}

/** Selects failed deliveries. */
export interface FailureFilter extends OfCompany {
  readonly handler?: string;
}

/** Failed deliveries by kind of error. Their cost grows with the groups; of a company, with the deliveries in them. */
export interface Failures {
  /** The groups, that which happened last first. */
  failureGroups(filter: FailureFilter): Promise<readonly FailureGroup[]>;
}
