/** Posts events to a replay's target, by subject. */
import PQueue from 'p-queue';
import type { EventRecord, StoredDelivery } from '../../event/stored-event.ts';
import { subjectName } from '../../event/subject.ts';
import type { Random } from '../../kernel/random.ts';
import { backoffMs, type RetryPolicy } from '../../kernel/time/backoff.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { pause } from '../../kernel/time/pause.ts';
import type { Queries } from '../../store/queries.ts';
import type { SentEvents } from '../../store/replays.ts';
import type { PostResult } from './classify-response.ts';

/** Posts an event's raw bytes once. Never rejects. */
export type Post = (event: StoredDelivery, body: Uint8Array) => Promise<PostResult>;

export interface SendDeps {
  readonly store: Pick<Queries, 'event'>;
  readonly post: Post;
  readonly clock: Clock;
  readonly random: Random;
  /** Called for each event that failed for good. */
  readonly onFailure: (event: EventRecord, reason: string) => void;
}

/** What became of a batch. */
export interface SentBatch {
  /** How many of the first events have ended. */
  readonly ended: number;
  readonly sent: SentEvents;
  /** Why no more should be sent: too many failed in a row. These have not ended. */
  readonly down: string | null;
}

/** Sends the next events. Called again after it has resolved; an abort ends it early. */
export type SendEvents = (events: readonly EventRecord[], signal: AbortSignal) => Promise<SentBatch>;

/** Events in flight, each of another subject. */
const CONCURRENCY = 4;
const RETRY: RetryPolicy = { attempts: 4, baseMs: 500, maxMs: 5000 };
/** Failures in a row that mean that the target is down. */
const DOWN_AFTER = 10;

/** `skipped` has no body to send: sending it again is useless. */
type Ending = keyof SentEvents;

/**
 * Sends events to a URL: for each subject one at a time, in arrival order. An event that fails for good is reported
 * and its subject continues, as with dead deliveries.
 */
export function createSendEvents(deps: SendDeps): SendEvents {
  let failuresInARow = 0;

  return async (events, signal) => {
    const stop = new AbortController();
    const stopped = AbortSignal.any([signal, stop.signal]);
    const endings = new Map<string, Ending>();
    let lastReason = '';

    async function run(record: EventRecord): Promise<void> {
      const event = await deps.store.event(record.id);
      if (!event?.body) {
        endings.set(record.id, 'skipped');
        return;
      }
      const result = await sendOne(deps, event, event.body, stopped);
      if (result === null) return;
      endings.set(record.id, result.status === 'delivered' ? 'succeeded' : 'failed');
      failuresInARow = result.status === 'delivered' ? 0 : failuresInARow + 1;
      if (result.status === 'delivered') return;
      lastReason = result.reason;
      deps.onFailure(record, result.reason);
      if (failuresInARow >= DOWN_AFTER) stop.abort();
    }

    const lanes = Map.groupBy(events, ({ source, subject }) => `${source} ${subjectName(subject)}`);
    await new PQueue({ concurrency: CONCURRENCY }).addAll(
      [...lanes.values()].map((lane) => async () => {
        for (const event of lane) if (!stopped.aborted) await run(event);
      }),
    );
    const isDown = stop.signal.aborted;
    const ended = isDown ? beforeLastFailures(events, endings) : endedOf(events, endings);
    const of = (ending: Ending) =>
      events.slice(0, ended).flatMap(({ id }) => (endings.get(id) === ending ? [id] : []));
    return {
      ended,
      sent: { succeeded: of('succeeded').length, skipped: of('skipped').length, failed: of('failed') },
      down: isDown ? `${String(failuresInARow)} events in a row failed: ${lastReason}` : null,
    };
  };
}

/** How many of the first events have ended. Later ones may have, too, and are sent again. */
function endedOf(events: readonly EventRecord[], endings: ReadonlyMap<string, Ending>): number {
  const first = events.findIndex(({ id }) => !endings.has(id));
  return first === -1 ? events.length : first;
}

/** As {@link endedOf}, before the trailing failures: those are sent again when the target is up. */
function beforeLastFailures(events: readonly EventRecord[], endings: ReadonlyMap<string, Ending>): number {
  const ended = events.slice(0, endedOf(events, endings));
  return ended.findLastIndex(({ id }) => endings.get(id) !== 'failed') + 1;
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
