import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds that a sender waits for a response. */
const TIMEOUT_MS = 60_000;

/** The bodies of one sender. */
export type Bodies = Iterator<string, unknown>;

/** Senders that behave as the provider should: one webhook at a time, each sent again until it is acknowledged. */
export interface Senders {
  /** The event id of each acknowledged body: accepted (202) or a duplicate (200). */
  readonly acknowledged: ReadonlyMap<string, string>;
  /** The number of other responses, by status; 0 for a connection that failed. */
  readonly rejections: ReadonlyMap<number, number>;
  /** Sends to this URL until the connection fails, `stop` is called, or the bodies end. */
  sendTo(url: string): Promise<void>;
  /**
   * Sends as through a load balancer, until `stop` is called or the bodies end: each attempt goes to the URL that
   * `pick` returns, and a failed connection is tried again.
   */
  sendThrough(pick: () => string): Promise<void>;
  /** Lets each sender finish its request in flight. */
  stop(): void;
}

/**
 * Creates one sender per stream; they send concurrently. A rejected body is sent again before the next one.
 *
 * @param betweenMs milliseconds from an acknowledgement to the next webhook of the sender; 0 sends as fast as possible. A
 *   rejected one is sent again after a tenth of it, 20 at least
 */
export function createSenders(streams: readonly Bodies[], betweenMs = 0): Senders {
  const acknowledged = new Map<string, string>();
  const rejections = new Map<number, number>();
  const unanswered = new Map<Bodies, string>();
  let stopping = new AbortController();

  function nextOf(stream: Bodies): string | undefined {
    const waiting = unanswered.get(stream);
    if (waiting !== undefined) return waiting;
    const next = stream.next();
    if (next.done === true) return undefined;
    unanswered.set(stream, next.value);
    return next.value;
  }

  async function sendAll(
    stream: Bodies,
    pick: () => string,
    { until, goesOn }: { readonly until: AbortSignal; readonly goesOn: boolean },
  ): Promise<void> {
    while (!until.aborted) {
      const body = nextOf(stream);
      if (body === undefined) return;
      const response = await post(pick(), body);
      if (response === undefined && !goesOn) return;
      if (response?.id === undefined) {
        const status = response?.status ?? 0;
        rejections.set(status, (rejections.get(status) ?? 0) + 1);
        await pause(Math.max(20, betweenMs / 10));
      } else {
        acknowledged.set(body, response.id);
        unanswered.delete(stream);
        if (betweenMs > 0) await pause(betweenMs);
      }
    }
  }

  async function send(pick: () => string, goesOn: boolean): Promise<void> {
    stopping = new AbortController();
    const options = { until: stopping.signal, goesOn };
    await Promise.all(streams.map((stream) => sendAll(stream, pick, options)));
  }

  return {
    acknowledged,
    rejections,
    sendTo: (url) => send(() => url, false),
    sendThrough: (pick) => send(pick, true),
    stop() {
      stopping.abort();
    },
  };
}

/** Returns the status, and the id if it is an acknowledgement. Undefined when the connection fails. */
async function post(
  url: string,
  body: string,
): Promise<{ readonly status: number; readonly id?: string } | undefined> {
  try {
    const headers = { 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { method: 'POST', headers, body, signal });
    const { id } = (await response.json()) as { readonly id?: string };
    const { status } = response;
    return (status === 202 || status === 200) && id !== undefined ? { status, id } : { status };
  } catch {
    return undefined;
  }
}
