import type { ContentPlace, ErasingProcess, ErasureRecord, Hold } from '../store/privacy.ts';
import { subjectName } from '../event/subject.ts';
import type { Finding } from '../privacy/erase-content.ts';
import { isRunBy } from '../privacy/ledger.ts';
import { instantText, instantTextOrNull } from './instant-text.ts';
import type { Unmasking } from './payload/unmasking.ts';

/** A row that holds data of a person. */
export interface FindingView {
  readonly place: string;
  readonly id: string;
  readonly kind: string | null;
  /** `family:id`; null for a quarantine entry or a replay, and while masked for an id that is itself an identifier. */
  readonly subject: string | null;
  readonly source: string | null;
  readonly at: string | null;
  /** Dotted paths in a body, or names of columns. */
  readonly fields: readonly string[];
  /** The personal values of the body; null while masked. */
  readonly values: readonly (string | number)[] | null;
}

export function findingView({ content, paths, values }: Finding, { unmask }: Unmasking): FindingView {
  const { place, id, kind, subject, source, at } = content;
  const hidden = place === 'subject' && !unmask;
  return {
    place,
    id: hidden ? String(content.row) : id,
    kind,
    subject: subject === null || hidden ? null : subjectName(subject),
    source,
    at: instantTextOrNull(at),
    fields: paths,
    values: unmask ? values.map(({ value }) => value) : null,
  };
}

/** A subject whose content must be neither erased nor pruned. */
export interface HoldView {
  readonly subject: string;
  readonly reason: string;
  readonly placed_by: string;
  readonly placed_at: string;
}

export function holdView({ subject, reason, placedBy, placedAt }: Hold): HoldView {
  return { subject: subjectName(subject), reason, placed_by: placedBy, placed_at: instantText(placedAt) };
}

/** A line of the ledger of erasures. */
export interface ErasureView {
  readonly id: string;
  readonly started_at: string;
  readonly finished_at: string | null;
  readonly requested_by: string;
  readonly reason: string;
  /** How many identifiers name the person. */
  readonly identifiers: number;
  /** The process in which it runs, host and process id; null while it does not. */
  readonly running_in: string | null;
  /** Since when it runs there; null if the database does not tell. */
  readonly running_since: string | null;
  /** What was erased so far: more than one run after an interruption. */
  readonly runs: readonly ErasureRunRowsView[];
}

/** What one run of an erasure erased, and where it ran. */
interface ErasureRunRowsView {
  readonly started_at: string;
  readonly process: string;
  /** Changed rows by place; a place without any is left out. */
  readonly erased_rows: Readonly<Partial<Record<ContentPlace, number>>>;
}

/** @param holder the process that erases now, as the store names it */
export function erasureView(erasure: ErasureRecord, holder: ErasingProcess | null): ErasureView {
  const isRunning = isRunBy(erasure, holder);
  return {
    id: erasure.id,
    started_at: instantText(erasure.startedAt),
    finished_at: instantTextOrNull(erasure.finishedAt),
    requested_by: erasure.requestedBy,
    reason: erasure.reason,
    identifiers: erasure.identifiers.length,
    running_in: isRunning ? (holder?.process ?? null) : null,
    running_since: isRunning ? instantTextOrNull(holder?.since ?? null) : null,
    runs: erasure.runs.map(({ startedAt, process, rows }) => ({
      started_at: instantText(startedAt),
      process,
      erased_rows: rows,
    })),
  };
}
