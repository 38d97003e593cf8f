/** Searches the events of a store in bounded steps. */
import type { ContentQuery } from '../../event/content/content-query.ts';
import type { EventRecord, StoredDelivery } from '../../event/stored-event.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { EventFilter, Queries } from '../../store/queries.ts';
import type { Masking } from '../../view/payload/unmasking.ts';
import { z } from 'zod';
import type { Contract } from '../../contract/contract.ts';
import type { Field, Fields } from '../../contract/fields.ts';
import type { KindContract } from '../../contract/kind-contract.ts';
import { MASK } from '../../contract/personal-data.ts';
import type { ContentSearch, ShownKinds } from '../../event/content/content-test.ts';
import { matchesContent, type ShownFields } from '../../event/content/match-content.ts';
import { sentPayload } from '../../view/payload/sent-payload.ts';

/** Milliseconds of a step: deliveries and other operators read between steps. */
const STEP_MS = 25;
/** Events in a row that are older than the search asks for, after which it ends. */
const MAX_TOO_OLD = 20_000;

/** A search of the event log, newest first. */
export interface EventSearch extends Masking {
  readonly filter: EventFilter;
  readonly content: ContentQuery | null;
  /** The limit of matches. */
  readonly limit: number;
  /** Continues below the event of this id. */
  readonly after?: string;
  /** Milliseconds after which it ends with what it has found. */
  readonly withinMs: number;
  /** Ends the search, because nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined;
}

/** The progress of a search. */
export interface SearchProgress {
  /** The number of events that were scanned. */
  readonly scanned: number;
  /** The last event that was scanned; null when there was none. */
  readonly cursor: string | null;
  /** When that event was received. */
  readonly cursorAt: number | null;
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
  let progress: SearchProgress = { scanned: 0, cursor: search.after ?? null, cursorAt: null };
  let tooOld = 0;
  for (;;) {
    const after = progress.cursor;
    const maxMs = Math.max(1, Math.min(STEP_MS, until - clock.monotonic()));
    const step = await store.scanEvents({
      ...scan,
      // One row more than the page shows, to know whether there is a next page.
      limit: limit + 1 - events.length,
      maxMs,
      ...(after !== null && { after }),
    });
    for (const found of step.found) if (await isMatch(store, found, search)) events.push(found);
    progress = {
      scanned: progress.scanned + step.looked,
      cursor: step.through ?? progress.cursor,
      cursorAt: step.throughAt ?? progress.cursorAt,
    };
    if (events.length > limit) {
      const shown = events.slice(0, limit);
      return { events: shown, ...progress, next: shown.at(-1)?.id ?? null, end: 'full' };
    }
    const end = (reason: SearchResult['end']): SearchResult => ({
      events,
      ...progress,
      next: reason === 'whole' ? null : progress.cursor,
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

/** Levels of fields that are described to the store; a schema may contain itself. Deeper ones are not searched. */
const MAX_LEVELS = 16;

const known = new WeakMap<Contract, ShownKinds>();

/** Describes a query to the store. While masked it searches no personal field: its values could be guessed. */
function contentSearch(query: ContentQuery, { contract, unmask }: Masking): ContentSearch {
  let shown = known.get(contract);
  if (shown === undefined) {
    shown = shownKinds(contract);
    known.set(contract, shown);
  }
  const dataPaths = contract.sources.map(({ name, envelope }) => [name, envelope.dataPath] as const);
  return { query, shown: unmask ? null : shown, dataPaths: Object.fromEntries(dataPaths) };
}

/**
 * Whether an event that the store found matches what its view shows. The store knows neither the schemas, by
 * which a declared value of the wrong type is masked, nor the functions of custom sources.
 */
function isShownMatch(event: StoredDelivery, query: ContentQuery, masking: Masking): boolean {
  const { shown } = sentPayload(event, masking);
  return matchesContent(shown, query, masking.unmask ? {} : { mask: MASK });
}

function shownKinds({ kinds, sources }: Contract): ShownKinds {
  const fieldsOf = (all: readonly KindContract[]) =>
    Object.fromEntries(all.map(({ kind, fields }) => [kind, shownFields(fields, MAX_LEVELS)]));
  return {
    shared: fieldsOf(kinds.filter(({ source }) => source === null)),
    ofSource: Object.fromEntries(sources.map(({ name, kinds: own }) => [name, fieldsOf(own)])),
  };
}

function shownFields(fields: Fields, levels: number): ShownFields {
  const shown = [...fields.values()].filter(({ personal }) => !personal && levels > 0);
  return Object.fromEntries(shown.map((field) => [field.name, shownField(field, levels - 1)]));
}

function shownField({ fields, schema }: Field, levels: number): ShownFields {
  if (fields.size > 0) return shownFields(fields, levels);
  // What an object without declared fields holds is masked.
  return schema instanceof z.ZodObject ? {} : true;
}
