/** Posts events to a replay's target, by subject. */
import type { EventRecord, StoredDelivery } from '../event/stored-event.ts';
import { subjectName } from '../event/subject.ts';
import { backoffMs, type RetryPolicy } from '../kernel/time/backoff.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { pause } from '../kernel/time/pause.ts';
import type { Random } from '../kernel/random.ts';
import type { Queries } from '../store/queries.ts';
import type { ReplayRecord, Replays, SentEvents } from '../store/replays.ts';
import { createCursor, type Place } from './cursor.ts';
import { createPace } from './pace.ts';
import type { PostResult } from './classify-response.ts';
import { inSubjectLanes } from './subject-lanes.ts';

/** Posts an event's raw bytes once. Never rejects. */
export type Post = (event: StoredDelivery, body: Uint8Array) => Promise<PostResult>;

export interface SendDeps {
  readonly store: Pick<Queries, 'events' | 'event'> & Replays;
  readonly post: Post;
  readonly clock: Clock;
  readonly random: Random;
}

export interface SendOptions {
  /** Events in flight, each of another subject. */
  readonly concurrency: number;
  readonly rate?: number;
  readonly signal: AbortSignal;
  readonly onProgress: (count: SendCount) => void;
  /** Called for each event that failed for good. */
  readonly onFailure: (event: EventRecord, reason: string) => void;
}

export interface SendCount {
  readonly delivered: number;
  readonly failed: number;
}

export interface SendOutcome extends SendCount {
  /** `target-down`: too many failed in a row; a resumed replay starts at the first of these. */
  readonly ended: 'done' | 'interrupted' | 'target-down';
  /** Events that were left out, because their bodies are pruned. */
  readonly pruned: number;
  /** Failed events that a resumed replay does not send again. */
  readonly leftBehind: readonly string[];
}

const RETRY: RetryPolicy = { attempts: 4, baseMs: 500, maxMs: 5000 };
/** Failures in a row that mean that the target is down. */
const DOWN_AFTER = 10;
/** Events between saved positions: as many may be sent twice after a crash. */
const SAVE_EVERY = 50;

/**
 * Sends a replay's events to a URL: for each subject one at a time, in arrival
 * order. An event that fails for good is reported and its subject continues, as
 * with dead deliveries.
 */
export async function sendToTarget(
  deps: SendDeps,
  replay: ReplayRecord,
  options: SendOptions,
): Promise<SendOutcome> {
  const { store, clock } = deps;
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const pace = createPace(options.rate, clock, signal);
  const cursor = createCursor(replay.cursor);
  let count: SendCount = { delivered: 0, failed: 0 };
  let pruned = 0;
  let failuresInARow = 0;
  let unsaved = 0;

  let reported: SentEvents = { succeeded: 0, dead: 0, skipped: 0 };

  const save = async ({ at, failed, sent: all }: Place): Promise<readonly string[]> => {
    const sent = {
      succeeded: all.succeeded - reported.succeeded,
      dead: all.dead - reported.dead,
      skipped: all.skipped - reported.skipped,
    };
    reported = all;
    if (at !== null) await store.enqueueReplay(replay.id, [], { cursor: at, now: clock.now(), sent });
    return failed;
  };

  async function run(record: EventRecord): Promise<void> {
    const event = await store.event(record.id);
    const body = event?.body;
    if (!event || !body) {
      pruned += 1;
      cursor.end(record.id, 'skipped');
      return;
    }
    const result = await sendOne(deps, event, body, signal);
    if (result === null) return;
    const delivered = result.status === 'delivered';
    count = {
      delivered: count.delivered + Number(delivered),
      failed: count.failed + Number(!delivered),
    };
    failuresInARow = delivered ? 0 : failuresInARow + 1;
    cursor.end(record.id, delivered ? 'succeeded' : 'dead');
    options.onProgress(count);
    if (result.status !== 'delivered') options.onFailure(record, result.reason);
    if (failuresInARow >= DOWN_AFTER) stop.abort();
    unsaved += 1;
    if (unsaved < SAVE_EVERY) return;
    unsaved = 0;
    await save(cursor.position());
  }

  const read: ReadPage<EventRecord> = (after, limit) =>
    store.events(replay.filter, { order: 'oldest', limit, ...(after === null ? {} : { after }) });

  async function* paced(): AsyncGenerator<EventRecord> {
    for await (const page of eventPages(read, replay.cursor))
      for (const record of page) {
        await pace(1);
        if (signal.aborted) return;
        cursor.begin(record.id);
        yield record;
      }
  }

  const keyOf = ({ source, subject }: EventRecord) => `${source} ${subjectName(subject)}`;
  await inSubjectLanes(paced(), { keyOf, run, concurrency: options.concurrency, signal });

  if (stop.signal.aborted) {
    return { ...count, pruned, ended: 'target-down', leftBehind: await save(cursor.beforeLastFailures()) };
  }
  const leftBehind = await save(cursor.position());
  if (options.signal.aborted) return { ...count, pruned, ended: 'interrupted', leftBehind };
  await store.finishReplay(replay.id);
  return { ...count, pruned, ended: 'done', leftBehind };
}

/** Posts until delivered, rejected, or out of attempts. Null when interrupted. */
async function sendOne(
  { post, clock, random }: SendDeps,
  event: StoredDelivery,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<PostResult | null> {
  for (let attempt = 1; ; attempt += 1) {
    if (signal.aborted) return null;
    const result = await post(event, body);
    if (result.status !== 'failed' || attempt === RETRY.attempts) return result;
    await pause(clock, result.afterMs ?? backoffMs(RETRY, attempt, random), signal);
  }
}

/** Reads at most `limit` events, oldest first, after event `after` unless null. */
type ReadPage<E> = (after: string | null, limit: number) => Promise<readonly E[]>;

const PAGE_SIZE = 1000;

/** Yields all events after event `after`, in arrival order, in pages. */
async function* eventPages<E extends { readonly id: string }>(
  read: ReadPage<E>,
  after: string | null,
): AsyncGenerator<readonly E[]> {
  for (let last = after; ;) {
    const page = await read(last, PAGE_SIZE);
    if (page.length > 0) yield page;
    if (page.length < PAGE_SIZE) return;
    last = page.at(-1)?.id ?? last;
  }
}
