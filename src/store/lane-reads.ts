/** Lanes as operators see them. */
import type { SourceSubject } from './queries.ts';

/** What a lane of a subject does, or waits for. Times are milliseconds since 1970. */
export interface LaneRecord {
  readonly handler: string;
  /** The delivery that runs, or that is next. */
  readonly delivery: {
    readonly id: string;
    readonly eventId: string;
    readonly kind: string;
    readonly running: boolean;
    readonly attempts: number;
    readonly lastError: string | null;
    readonly dueAt: number | null;
  };
  /** Unfinished deliveries behind it. */
  readonly behind: number;
  /** Whether there are more of them, which were not counted. */
  readonly more: boolean;
}

/** Reads lanes, for operators. */
export interface LaneReads {
  /** Returns the lanes of a subject with an unfinished delivery, by handler. Up to 1,000 deliveries are counted. */
  lanesOf(subject: SourceSubject): Promise<readonly LaneRecord[]>;
}
