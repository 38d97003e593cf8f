/** Sends signed messages about problems to the target of `PORTARIA_ALERT_URL`. */
import { randomUUID } from 'node:crypto';
import { PortariaError } from '../kernel/errors.ts';
import { failureReason } from '../kernel/failure-reason.ts';
import { retryAfterMs } from '../kernel/http/retry-after.ts';
import type { Random } from '../kernel/random.ts';
import { backoffMs } from '../kernel/time/backoff.ts';
import type { Cancel, Clock } from '../kernel/time/clock.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../kernel/time/durations.ts';
import type { Monitoring, WaitingAlert } from '../store/monitoring.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { TrackedProblem } from './track-problems.ts';
import { readStandardKey } from '../verify/signed/keys.ts';
import { signatureText, standardSigner, type Sign } from '../verify/standard-webhooks.ts';

/** Milliseconds for the whole response. */
const TIMEOUT_MS = 10 * SECOND_MS;

/** An alert is never given up: its target may be what has failed. */
const retry = { attempts: Infinity, baseMs: 2 * SECOND_MS, maxMs: 15 * MINUTE_MS };

export interface AlertTarget {
  readonly url: string;
  /** The Standard Webhooks secret: base64, with or without `whsec_`. */
  readonly secret: string;
}

export interface AlertSenderDeps {
  readonly target: AlertTarget;
  readonly store: Pick<Monitoring, 'nextAlert' | 'recordMonitoring'> & { readonly storeId: string };
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

/** Sends the waiting alerts, one after another, oldest first. */
export interface AlertSender {
  /** Sends what is due, now. */
  wake(): void;
  /** Ends a request in progress: the alert stays and is sent after the next start, with the same id. */
  stop(): Promise<void>;
}

/** @throws PortariaError `misconfigured` for a secret that cannot sign */
export function createAlertSender(deps: AlertSenderDeps): AlertSender {
  const { store, clock, random, telemetry, target } = deps;
  const sign = standardSigner(requireKey(target));
  const stopping = new AbortController();
  let cancelTimer: Cancel = () => undefined;
  let running: Promise<void> | null = null;
  let again = false;

  async function sendAll(): Promise<void> {
    cancelTimer();
    while (!stopping.signal.aborted) {
      const alert = await store.nextAlert();
      if (alert === null) return;
      const waitMs = alert.dueAt - clock.now();
      if (waitMs > 0) {
        cancelTimer = clock.after(waitMs, wake);
        return;
      }
      await send(alert);
    }
  }

  async function send(alert: WaitingAlert): Promise<void> {
    const { id } = alert;
    const failure = await post(alert, sign, deps, stopping.signal);
    if (failure === null) {
      await store.recordMonitoring({ record: 'alert-sent', id });
      telemetry.emit('alert.sent', { alert: id });
      return;
    }
    if (stopping.signal.aborted) return;
    const { reason, askedMs } = failure;
    const waitMs = Math.max(askedMs, backoffMs(retry, alert.attempts + 1, random));
    await store.recordMonitoring({ record: 'alert-failed', id, dueAt: clock.now() + waitMs, reason });
    telemetry.emit('alert.failed', { alert: id, attempt: alert.attempts + 1, waitMs, reason });
  }

  function wake(): void {
    if (stopping.signal.aborted) return;
    if (running !== null) {
      again = true;
      return;
    }
    running = sendAll()
      // The store failed, which its health shows. The next check wakes this again.
      .catch(() => undefined)
      .finally(() => {
        running = null;
        if (!again) return;
        again = false;
        wake();
      });
  }

  return {
    wake,
    async stop() {
      stopping.abort();
      cancelTimer();
      await running;
    },
  };
}

/** An alert that anybody could have signed would be worse than none. */
function requireKey({ secret }: AlertTarget): Uint8Array {
  const key = readStandardKey(secret);
  if (key !== null) return key;
  throw new PortariaError('misconfigured', 'The settings are not valid', {
    problems: [
      {
        where: 'PORTARIA_ALERT_SECRET',
        message:
          'must be base64, with or without the prefix whsec_ (`echo "whsec_$(openssl rand -base64 32)"` makes one)',
      },
    ],
  });
}

/** Posts an alert. Returns null after a 2xx, otherwise why it failed and how long the target asks to wait. */
async function post(
  { id, body }: WaitingAlert,
  sign: Sign,
  { target, store, clock, fetch }: AlertSenderDeps,
  stopping: AbortSignal,
): Promise<{ readonly reason: string; readonly askedMs: number } | null> {
  const timeout = new AbortController();
  const cancel = clock.after(TIMEOUT_MS, () => {
    timeout.abort();
  });
  const messageId = `${store.storeId}-${id}`;
  const at = Math.floor(clock.now() / SECOND_MS);
  const { host } = new URL(target.url);
  try {
    const response = await fetch(target.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'portaria',
        'webhook-id': messageId,
        'webhook-timestamp': String(at),
        'webhook-signature': signatureText(sign(messageId, at, Buffer.from(body))),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([stopping, timeout.signal]),
    });
    void response.body?.cancel().catch(() => undefined);
    if (response.ok) return null;
    const askedMs = retryAfterMs(response.headers.get('retry-after'), clock.now(), HOUR_MS) ?? 0;
    return { reason: `${host} responded with status ${String(response.status)}`, askedMs };
  } catch (error) {
    const reason = timeout.signal.aborted
      ? `no response from ${host} within ${String(TIMEOUT_MS / SECOND_MS)} s`
      : `no response from ${host}: ${failureReason(error)}`;
    return { reason, askedMs: 0 };
  } finally {
    cancel();
  }
}

/** The body of an alert (Standard Webhooks: `type`, `timestamp` and `data`). */
interface AlertMessage {
  readonly type: 'portaria.problem.began' | 'portaria.problem.ended';
  /** When Portaria noticed it, ISO 8601. */
  readonly timestamp: string;
  readonly data: {
    /** The store that the problem belongs to: an operator may have several. */
    readonly store_id: string;
    readonly problem: string;
    readonly of: string | null;
    /** When it began, ISO 8601. */
    readonly since: string;
    readonly summary: string;
    readonly remedy: string;
  };
}

/** Writes the body of the message that a problem began or ended. */
export function alertBody(
  type: AlertMessage['type'],
  { problem, beganAt }: TrackedProblem,
  { storeId, now }: { readonly storeId: string; readonly now: number },
): string {
  const { problem: kind, of, summary, remedy } = problem;
  const message: AlertMessage = {
    type,
    timestamp: new Date(now).toISOString(),
    data: {
      store_id: storeId,
      problem: kind,
      of,
      since: new Date(beganAt).toISOString(),
      summary,
      remedy,
    },
  };
  return JSON.stringify(message);
}

/** Sends messages from memory: an outage of the store must not keep them. The end of the process loses what waits. */
export interface MemoryAlerts {
  send(body: string): void;
  stop(): Promise<void>;
}

/** @throws PortariaError `misconfigured` for a secret that cannot sign */
export function createMemoryAlerts(
  deps: Omit<AlertSenderDeps, 'store'> & { readonly store: { readonly storeId: string } },
): MemoryAlerts {
  let waiting: readonly WaitingAlert[] = [];
  const sender = createAlertSender({
    ...deps,
    store: {
      storeId: deps.store.storeId,
      nextAlert: () => Promise.resolve(waiting[0] ?? null),
      recordMonitoring(record) {
        const [first, ...others] = waiting;
        if (first !== undefined && record.record === 'alert-sent') waiting = others;
        if (first !== undefined && record.record === 'alert-failed')
          waiting = [{ ...first, attempts: first.attempts + 1, dueAt: record.dueAt }, ...others];
        return Promise.resolve(true);
      },
    },
  });
  return {
    send(body) {
      const alert = { id: randomUUID(), body, attempts: 0, dueAt: deps.clock.now(), lastError: null };
      waiting = [...waiting, alert];
      sender.wake();
    },
    stop: () => sender.stop(),
  };
}
