/** Follows the outcomes of events that live pages show. */
import { failureReason } from '../../kernel/failure-reason.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Queries } from '../../store/queries.ts';
import type { LiveEvent } from './live-filter.ts';
import type { LiveRow } from './recent-events.ts';
import { statusCounts, type StatusCounts } from '../../operate/show/event-outcomes.ts';

/** Shown events that are followed, and changed ones that are remembered until they are shown. */
const MAX_FOLLOWED = 1_000;

/** The newest events that are read again until their deliveries have ended: those that a page shows. */
const MAX_RECHECKED = 100;

export interface FollowedDeps {
  readonly store: Pick<Queries, 'deliveriesOf'>;
  readonly log: Pick<Logger, 'error'>;
  /** Called when there is something to read. */
  readonly due: () => void;
  readonly send: (outcomes: readonly (readonly [LiveEvent, StatusCounts])[]) => void;
}

/** The events that clients show: what becomes of them is read for all clients at once. */
export interface FollowedOutcomes {
  /** Says that these rows are shown. An outcome that others may show differently is sent again when it is read. */
  follow(rows: readonly LiveRow[]): void;
  /** Says that the outcome of an event may have changed. */
  change(id: string): void;
  /** Says that another process may have ended deliveries of the newest events. */
  recheck(): void;
  /** Reads and sends what changed, in one query. Resolves at once while another read runs. */
  read(): Promise<void>;
  clear(): void;
}

export function createFollowedOutcomes({ store, log, due, send }: FollowedDeps): FollowedOutcomes {
  /** Oldest first, each with the outcome that was sent last. */
  const followed = new Map<string, { readonly event: LiveEvent; readonly sent: string }>();
  const changed = new Set<string>();
  /** Events of which deliveries may still end, oldest first. */
  const unfinished = new Set<string>();
  /** Events that no client shows yet, whose deliveries changed: the latest, and those before them. */
  let early = new Set<string>();
  let earlier = new Set<string>();
  let reading = false;

  function remember(id: string): void {
    early.add(id);
    if (early.size < MAX_FOLLOWED) return;
    earlier = early;
    early = new Set();
  }

  /** Notes what is sent of an event, and returns whether it was not sent before. */
  function isNews(event: LiveEvent, outcome: StatusCounts): boolean {
    const { pending = 0, running = 0 } = outcome;
    if (pending + running === 0) unfinished.delete(event.id);
    const sent = JSON.stringify(outcome);
    const before = followed.get(event.id);
    if (before !== undefined) followed.set(event.id, { event, sent });
    return before?.sent !== sent;
  }

  return {
    follow(rows) {
      for (const { event, outcome } of rows) {
        if (!followed.has(event.id)) followed.set(event.id, { event, sent: JSON.stringify(outcome) });
        unfinished.add(event.id);
        if (early.has(event.id) || earlier.has(event.id)) changed.add(event.id);
      }
      for (const id of followed.keys()) {
        if (followed.size <= MAX_FOLLOWED) break;
        followed.delete(id);
        changed.delete(id);
      }
      for (const id of unfinished) {
        if (unfinished.size <= MAX_RECHECKED) break;
        unfinished.delete(id);
      }
      if (changed.size > 0) due();
    },
    change(id) {
      if (!followed.has(id)) {
        remember(id);
        return;
      }
      changed.add(id);
      due();
    },
    recheck() {
      for (const id of unfinished) if (followed.has(id)) changed.add(id);
    },
    async read() {
      if (reading || changed.size === 0) return;
      reading = true;
      const events = [...changed].flatMap((id) => followed.get(id)?.event ?? []);
      changed.clear();
      try {
        const ids = events.map(({ id }) => id);
        const outcomes = await statusCounts(store, ids);
        const known = events.map((event) => [event, outcomes.get(event.id) ?? {}] as const);
        send(known.filter(([event, outcome]) => isNews(event, outcome)));
      } catch (error) {
        log.error({ reason: failureReason(error) }, 'the outcomes for live pages could not be read');
      } finally {
        reading = false;
        if (changed.size > 0) due();
      }
    },
    clear() {
      followed.clear();
      changed.clear();
      unfinished.clear();
      early = new Set();
      earlier = new Set();
    },
  };
}
