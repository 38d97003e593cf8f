/** Takes calls from the buckets of rates before limited deliveries start, and closes buckets whose target asks for it. */
import { createHash } from 'node:crypto';
import { subjectName } from '../../event/subject.ts';
import type { StoredEvent } from '../../event/stored-event.ts';
import { isRetryLater, RetryLater } from '../../handle/define/outcome.ts';
import type { Rate } from '../../handle/load/rates.ts';
import type { Registry, Runnable } from '../../handle/load/registry.ts';
import { failureReason } from '../../kernel/failure-reason.ts';
import type { Random } from '../../kernel/random.ts';
import { HOUR_MS } from '../../kernel/time/durations.ts';
import type { ClaimedDelivery } from '../../store/lane-queue.ts';
import type { RateTaking } from '../../store/rates.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import { classifyFailure, released, retryPolicy, type Outcome } from '../attempt/classify.ts';
import type { RunEnd } from '../attempt/time-limit.ts';
import type { RetriedStore } from '../retried-store.ts';
import type { Admission } from './admission.ts';

/** Without a rate, both functions return at once what they were given. */
export interface Rates {
  /** The names of deliveries that have a rate. */
  readonly limited: readonly string[];
  /**
   * Takes a call. Resolves to the outcome of a delivery that must not start now; undefined when it may. Calls that
   * come meanwhile share a write.
   */
  take(delivery: ClaimedDelivery, runnable: Runnable): undefined | Promise<Outcome | undefined>;
  /** Closes the bucket if the attempt ended with a target that limits calls. Returns the end to classify. */
  closeIfLimited(delivery: ClaimedDelivery, end: RunEnd): RunEnd | Promise<RunEnd>;
}

interface Waiting {
  readonly taking: RateTaking;
  readonly resolve: (dueAt: number | null) => void;
  readonly reject: (error: unknown) => void;
}

export function createRates(deps: {
  readonly store: Pick<RetriedStore, 'takeRates' | 'closeRate'>;
  readonly registry: Pick<Registry, 'rate' | 'deliveryNames'>;
  readonly admission: Pick<Admission, 'rejects'>;
  readonly telemetry: Telemetry;
  readonly random: Random;
}): Rates {
  const { store, registry, admission, telemetry, random } = deps;
  let batch: Waiting[] = [];
  let isFlushing = false;

  async function flush(): Promise<void> {
    for (isFlushing = true; batch.length > 0;) {
      const taken = batch;
      batch = [];
      try {
        const dueAts = await store.takeRates(taken.map(({ taking }) => taking));
        for (const [at, { resolve }] of taken.entries()) resolve(dueAts[at] ?? null);
      } catch (error) {
        for (const { reject } of taken) reject(error);
      }
    }
    isFlushing = false;
  }

  function takeTogether(taking: RateTaking): Promise<number | null> {
    return new Promise((resolve, reject) => {
      batch.push({ taking, resolve, reject });
      // One write at a time: the others of this process would only wait for its locks.
      if (batch.length === 1 && !isFlushing) queueMicrotask(() => void flush());
    });
  }

  async function takeCall(
    delivery: ClaimedDelivery,
    rate: Rate,
    runnable: Runnable,
  ): Promise<Outcome | undefined> {
    const { bucket, intervalUs, burst } = rate;
    let key: string;
    try {
      key = keyOf(rate, delivery.event);
    } catch (error) {
      return classifyFailure(error, delivery.attempt, retryPolicy(runnable), random);
    }
    try {
      const dueAt = await takeTogether({ bucket, key, delivery: delivery.id, intervalUs, burst });
      if (dueAt !== null) return { ...released('it waits for its rate'), dueAt };
    } catch (error) {
      return released(failureReason(error));
    }
    // Much may have happened while the store was asked.
    const reason = admission.rejects(delivery);
    return reason === undefined ? undefined : released(reason);
  }

  async function close(delivery: ClaimedDelivery, rate: Rate, forMs: number): Promise<void> {
    try {
      const { handler, event } = delivery;
      await store.closeRate({ bucket: rate.bucket, key: keyOf(rate, event) }, { waitMs: forMs });
      telemetry.emit('rate.closed', { handler, bucket: rate.bucket, waitMs: forMs });
    } catch (error) {
      // The outcome counts for more, and the next call closes it.
      telemetry.emit('dispatch.failed', { reason: failureReason(error) });
    }
  }

  return {
    limited: registry.deliveryNames.filter((name) => registry.rate(name) !== undefined),
    take(delivery, runnable) {
      const rate = registry.rate(delivery.handler);
      return rate === undefined ? undefined : takeCall(delivery, rate, runnable);
    },
    closeIfLimited(delivery, end) {
      const rate = registry.rate(delivery.handler);
      const limit = rate === undefined ? undefined : limitIn(end);
      if (rate === undefined || limit === undefined) return end;
      return close(delivery, rate, limit.rateMs).then(() => ({ how: 'threw', error: limit }));
    },
  };
}

/** What the bucket is kept for, hashed: the id of a subject may be a person's. */
function keyOf({ bucket, key }: Rate, event: StoredEvent): string {
  if (key === undefined) return '';
  const value = valueOf(key, event);
  return createHash('sha256')
    .update(JSON.stringify([bucket, value]))
    .digest('base64url');
}

function valueOf(key: NonNullable<Rate['key']>, event: StoredEvent): unknown {
  if (key === 'source') return event.source;
  if (key === 'subject') return [event.source, subjectName(event.subject)];
  let value: unknown;
  try {
    value = key(event);
  } catch (cause) {
    throw new Error(`the key of the rate failed: ${failureReason(cause)}`, { cause });
  }
  if (typeof value === 'string') return value;
  throw new TypeError(`the key of the rate is ${typeof value}: it must return a string`);
}

/** What a handler ended with whose target limits calls: it said so, or the error of a client did. */
function limitIn(end: RunEnd): (RetryLater & { readonly rateMs: number }) | undefined {
  const value: unknown = end.how === 'returned' ? end.value : end.how === 'threw' ? end.error : undefined;
  try {
    if (isRetryLater(value)) return hasRate(value) ? value : undefined;
    if (!(value instanceof Error)) return undefined;
    const { status, retryAfterMs: ms } = value as {
      readonly status?: unknown;
      readonly retryAfterMs?: unknown;
    };
    if ((status !== 429 && status !== 503) || typeof ms !== 'number') return undefined;
    // An hour at most, as the bucket is closed.
    const later = RetryLater(Math.min(ms, HOUR_MS), value.message, { rate: true });
    return hasRate(later) ? later : undefined;
  } catch {
    // A getter that throws, or no number of milliseconds.
    return undefined;
  }
}

function hasRate(value: RetryLater): value is RetryLater & { readonly rateMs: number } {
  return typeof value.rateMs === 'number' && value.rateMs >= 0;
}
