import type { EventRecord, StoredDelivery } from '../event/stored-event.ts';
import { subjectName } from '../event/subject.ts';
import { backoffMs, type RetryPolicy } from '../kernel/time/backoff.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { pause } from '../kernel/time/pause.ts';
import type { Random } from '../kernel/random.ts';
import type { Queries } from '../store/queries.ts';
import type { ReplayRecord, Replays } from '../store/replays.ts';
import { createCursor, type Place } from './cursor.ts';
import { eventPages, type ReadPage } from './event-pages.ts';
import { createPace } from './pace.ts';
import type { PostAnswer } from './judge-answer.ts';
import { inSubjectLanes } from './subject-lanes.ts';

/** Sends an event's raw bytes once. Never rejects. */
export type Post = (event: StoredDelivery, body: Uint8Array) => Promise<PostAnswer>;

export interface SendParts {
  readonly store: Pick<Queries, 'events' | 'event'> & Replays;
  readonly post: Post;
  readonly clock: Clock;
  readonly random: Random;
}

export interface SendOptions {
  /** Events on their way at a time, each of another subject. */
  readonly concurrency: number;
  readonly rate?: number;
  readonly signal: AbortSignal;
  readonly onProgress: (count: SendCount) => void;
  /** Called for each event that was given up. */
  readonly onFailure: (event: EventRecord, reason: string) => void;
}

export interface SendCount {
  readonly delivered: number;
  readonly failed: number;
}

export interface SendOutcome extends SendCount {
  /** `target-down`: event after event failed; a resumed replay begins with the first of these. */
  readonly ended: 'done' | 'interrupted' | 'target-down';
  /** Events that failed and that a resumed replay would not send again. Purged ones are not among them. */
  readonly leftBehind: readonly string[];
}

const purged: PostAnswer = { status: 'refused', reason: 'its bytes are purged' };
const RETRY: RetryPolicy = { attempts: 4, baseMs: 500, maxMs: 5000 };
/** So many failures in a row say more about the target than about the events. */
const DOWN_AFTER = 10;
/** How many events may be sent twice after a crash of this process. */
const SAVE_EVERY = 50;

/**
 * Sends a replay's events to an address: one at a time and in arrival order
 * for each subject. An event that fails for good is reported and its subject
 * goes on, as with dead letters.
 */
export async function sendToTarget(
  parts: SendParts,
  replay: ReplayRecord,
  options: SendOptions,
): Promise<SendOutcome> {
  const { store, clock } = parts;
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const pace = createPace(options.rate, clock, signal);
  const cursor = createCursor(replay.cursor);
  let count: SendCount = { delivered: 0, failed: 0 };
  let failuresInARow = 0;
  let unsaved = 0;

  const save = async ({ at, failed }: Place): Promise<readonly string[]> => {
    if (at !== null) await store.enqueueReplay(replay.id, [], { cursor: at, now: clock.now() });
    return failed;
  };

  async function run(record: EventRecord): Promise<void> {
    const event = await store.event(record.id);
    const body = event?.body;
    const answer = event && body ? await sendOne(parts, event, body, signal) : purged;
    if (answer === null) return;
    const delivered = answer.status === 'delivered';
    count = {
      delivered: count.delivered + Number(delivered),
      failed: count.failed + Number(!delivered),
    };
    if (answer !== purged) failuresInARow = delivered ? 0 : failuresInARow + 1;
    // To send a purged one again is no use.
    cursor.settle(record.id, delivered || answer === purged);
    options.onProgress(count);
    if (answer.status !== 'delivered') options.onFailure(record, answer.reason);
    if (failuresInARow >= DOWN_AFTER) stop.abort();
    unsaved += 1;
    if (unsaved < SAVE_EVERY) return;
    unsaved = 0;
    await save(cursor.settled());
  }

  const read: ReadPage<EventRecord> = (after, limit) =>
    store.events(replay.filter, { order: 'oldest', limit, ...(after === null ? {} : { after }) });

  async function* paced(): AsyncGenerator<EventRecord> {
    for await (const page of eventPages(read, replay.cursor))
      for (const record of page) {
        await pace(1);
        if (signal.aborted) return;
        cursor.take(record.id);
        yield record;
      }
  }

  const keyOf = ({ source, subject }: EventRecord) => `${source} ${subjectName(subject)}`;
  await inSubjectLanes(paced(), { keyOf, run, concurrency: options.concurrency, signal });

  if (stop.signal.aborted) {
    return { ...count, ended: 'target-down', leftBehind: await save(cursor.beforeLastFailures()) };
  }
  const leftBehind = await save(cursor.settled());
  if (options.signal.aborted) return { ...count, ended: 'interrupted', leftBehind };
  await store.finishReplay(replay.id);
  return { ...count, ended: 'done', leftBehind };
}

/** Tries until it is delivered or refused, or the tries are used up. Null when interrupted. */
async function sendOne(
  { post, clock, random }: SendParts,
  event: StoredDelivery,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<PostAnswer | null> {
  for (let attempt = 1; ; attempt += 1) {
    if (signal.aborted) return null;
    const answer = await post(event, body);
    if (answer.status !== 'failed' || attempt === RETRY.attempts) return answer;
    await pause(clock, answer.afterMs ?? backoffMs(RETRY, attempt, random), signal);
  }
}
