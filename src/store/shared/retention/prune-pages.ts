/** The pages in which retention looks at rows, and which rows it may prune. */
import type { FoldedEvents, PrunableEvents, PrunePage, PruneRequest } from '../../retention.ts';
import { sql, type SqlBool } from 'kysely';

/** A row that was looked at. */
export interface PrunableRow {
  readonly id: number;
  readonly prunable: number;
  /** Whether it is old and of a held subject. */
  readonly held: number;
  readonly bytes: number;
}

/** An event with a body that is old enough. */
export interface OldEvent {
  readonly id: number;
  readonly subject_id: number;
  readonly waits: number;
  readonly held: number;
  readonly bytes: number;
}

/** What machines have to do with the subjects of a page. */
export interface FoldedSubjects {
  /** The machines with a state of each subject, without subjects that no machine knows. */
  readonly folded: ReadonlyMap<number, readonly string[]>;
  readonly subjects: ReadonlyMap<number, Pick<FoldedEvents, 'source' | 'subject'>>;
  /** Those with a fold or an effect that waits or runs. */
  readonly busy: ReadonlySet<number>;
}

/** The events of a page that can be pruned, and why others stay. */
export type ChosenEvents = Pick<PrunableEvents, 'rows' | 'folded' | 'bytes' | 'held' | 'waiting'>;

/** The events of a page that wait for nothing themselves. */
export function idleEvents(old: readonly OldEvent[]): readonly OldEvent[] {
  return old.filter(({ held, waits }) => held === 0 && waits === 0);
}

/** Chooses the events to prune among the old ones of a page. */
export function chooseEvents(
  old: readonly OldEvent[],
  { folded, subjects, busy }: FoldedSubjects,
): ChosenEvents {
  const free = old.filter(({ held }) => held === 0);
  const prunable = idleEvents(old).filter((row) => !busy.has(row.subject_id));
  return {
    rows: prunable.filter((row) => !folded.has(row.subject_id)).map(({ id }) => id),
    folded: [...folded].flatMap(([subjectId, machines]): FoldedEvents[] => {
      const of = subjects.get(subjectId);
      const events = prunable.filter((row) => row.subject_id === subjectId).map(({ id }) => id);
      return of === undefined || events.length === 0 ? [] : [{ ...of, machines, events }];
    }),
    bytes: prunable.reduce((sum, { bytes }) => sum + bytes, 0),
    held: old.length - free.length,
    waiting: free.length - prunable.length,
  };
}

/** The numbers of the events to prune. */
export function chosenRows({ rows, folded }: Pick<ChosenEvents, 'rows' | 'folded'>): ReadonlySet<number> {
  return new Set([...rows, ...folded.flatMap(({ events }) => events)]);
}

/** @param walked the rows that were looked at, among which `rows` are */
export function pageOf(
  rows: readonly PrunableRow[],
  walked: readonly PrunableRow[],
  request: PruneRequest,
): PrunePage {
  const prunable = rows.filter((row) => row.prunable === 1);
  return {
    rows: prunable.map(({ id }) => id),
    bytes: prunable.reduce((sum, { bytes }) => sum + bytes, 0),
    held: rows.filter((row) => row.held === 1).length,
    next: nextOf(walked, request),
  };
}

export function nextOf(rows: readonly { readonly id: number }[], { limit }: PruneRequest): number | null {
  return rows.length < limit ? null : (rows.at(-1)?.id ?? null);
}

/** Subjects by number, with their names. */
export function namedSubjects(
  rows: readonly {
    readonly id: number;
    readonly source: string;
    readonly family: string;
    readonly entity: string;
  }[],
): FoldedSubjects['subjects'] {
  return new Map(
    rows.map(({ id, source, family, entity }) => [id, { source, subject: { family, id: entity } }]),
  );
}

/** Whether an event must keep its body: it is to be delivered, or a dead letter may be retried. */
export const isEventWaiting = sql<SqlBool>`exists (select 1 from deliveries
  where deliveries.event_id = events.id and (deliveries.finished_at is null or deliveries.status = 'dead'))`;

/** When the bytes of a quarantine entry came last, in milliseconds since 1970. */
export const lastCameAt = sql<number>`coalesce(quarantine.last_repeat_at, quarantine.received_at)`;

/** The reason of dead letters that retention has discarded. */
export const DISCARDED = 'discarded: a dead letter older than the retention of deliveries';

/** Whether a finished delivery has something to prune. */
export const carriesContent = sql<SqlBool>`(deliveries.status = 'dead' or deliveries.effect_change is not null
  or (deliveries.last_error is not null and deliveries.last_error <> ${sql.lit(DISCARDED)}))`;
