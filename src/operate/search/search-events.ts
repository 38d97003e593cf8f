/** Searches the events of a store in bounded steps. */
import type { ContentQuery } from '../../event/content/content-query.ts';
import type { EventRecord } from '../../event/stored-event.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { EventFilter, Queries } from '../../store/queries.ts';
import type { Masking } from '../../view/payload/unmasking.ts';
import { contentSearch, isShownMatch } from './content-search.ts';

/** Milliseconds of a step: deliveries and other operators read between steps. */
const STEP_MS = 25;
/** Events in a row that are older than the search asks for, after which it ends. */
const MAX_TOO_OLD = 20_000;

/** A search of the event log, newest first. */
export interface EventSearch extends Masking {
  readonly filter: EventFilter;
  readonly content: ContentQuery | null;
  /** Matches, at most. */
  readonly limit: number;
  /** Continues below the event of this id. */
  readonly after?: string;
  /** Milliseconds after which it ends with what it has found. */
  readonly withinMs: number;
  /** Ends the search, because nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined;
}

/** How far a search has come. */
export interface SearchProgress {
  /** How many events were searched. */
  readonly looked: number;
  /** The last event that was looked at, and when it was received; null when there was none. */
  readonly through: string | null;
  readonly throughAt: number | null;
}

/** What a search found. */
export interface SearchResult extends SearchProgress {
  readonly events: readonly EventRecord[];
  /** Where a search for more continues; null when no older event is left. */
  readonly next: string | null;
  /** Why it ended: the page is full, the log is, time was up, or events are older than was asked for. */
  readonly end: 'full' | 'whole' | 'time' | 'too-old';
}

type SearchStore = Pick<Queries, 'scanEvents' | 'event'>;

/**
 * Searches the event log in steps, for a bounded time. Without the permission to unmask only fields are searched
 * that show while masked, so that nobody can guess the value of a personal field.
 */
export async function searchEvents(
  store: SearchStore,
  clock: Pick<Clock, 'monotonic'>,
  search: EventSearch,
): Promise<SearchResult> {
  const { filter, content, limit, withinMs, signal } = search;
  const scan = { filter, content: content === null ? null : contentSearch(content, search) };
  const until = clock.monotonic() + withinMs;
  const events: EventRecord[] = [];
  let progress: SearchProgress = { looked: 0, through: search.after ?? null, throughAt: null };
  let tooOld = 0;
  for (;;) {
    const after = progress.through;
    const maxMs = Math.max(1, Math.min(STEP_MS, until - clock.monotonic()));
    const step = await store.scanEvents({
      ...scan,
      // One more than the page shows tells whether the log goes on.
      limit: limit + 1 - events.length,
      maxMs,
      ...(after !== null && { after }),
    });
    for (const found of step.found) if (await isMatch(store, found, search)) events.push(found);
    progress = {
      looked: progress.looked + step.looked,
      through: step.through ?? progress.through,
      throughAt: step.throughAt ?? progress.throughAt,
    };
    if (events.length > limit) {
      const shown = events.slice(0, limit);
      return { events: shown, ...progress, next: shown.at(-1)?.id ?? null, end: 'full' };
    }
    const end = (reason: SearchResult['end']): SearchResult => ({
      events,
      ...progress,
      next: reason === 'whole' ? null : progress.through,
      end: reason,
    });
    if (step.isEnd) return end('whole');
    tooOld = isOlder(step.throughAt, filter) && step.found.length === 0 ? tooOld + step.looked : 0;
    if (tooOld >= MAX_TOO_OLD) return end('too-old');
    if (clock.monotonic() >= until || signal?.aborted === true) return end('time');
  }
}

function isOlder(at: number | null, { since }: EventFilter): boolean {
  return since !== undefined && at !== null && at < since;
}

async function isMatch(store: SearchStore, found: EventRecord, search: EventSearch): Promise<boolean> {
  const { content, contract, unmask } = search;
  if (content === null) return true;
  // The store has decided all of it.
  if (unmask && contract.envelopeOf(found.source).dataPath !== null) return true;
  const event = await store.event(found.id);
  return event !== null && isShownMatch(event, content, search);
}
