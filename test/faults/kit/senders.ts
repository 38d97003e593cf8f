import { setTimeout as pause } from 'node:timers/promises';

/** The bodies of one sender. */
export type Bodies = Iterator<string, unknown>;

/** Senders that behave as the provider should: one webhook at a time, each sent again until it is acknowledged. */
export interface Senders {
  /** The event id of each acknowledged body: accepted (202) or a duplicate (200). */
  readonly acknowledged: ReadonlyMap<string, string>;
  /** The number of other responses, by status. */
  readonly rejections: ReadonlyMap<number, number>;
  /** Sends to this URL until the connection fails, `stop` is called, or the bodies end. */
  sendTo(url: string): Promise<void>;
  /** Lets each sender finish its request in flight. */
  stop(): void;
}

/** Creates one sender per stream; they send concurrently. A rejected body is sent again before the next one. */
export function createSenders(streams: readonly Bodies[]): Senders {
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

  async function sendAll(stream: Bodies, url: string, until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      const body = nextOf(stream);
      if (body === undefined) return;
      const response = await post(url, body);
      if (response === undefined) return;
      if (response.id === undefined) {
        rejections.set(response.status, (rejections.get(response.status) ?? 0) + 1);
        await pause(20);
      } else {
        acknowledged.set(body, response.id);
        unanswered.delete(stream);
      }
    }
  }

  return {
    acknowledged,
    rejections,
    async sendTo(url) {
      stopping = new AbortController();
      await Promise.all(streams.map((stream) => sendAll(stream, url, stopping.signal)));
    },
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
    const response = await fetch(url, { method: 'POST', headers, body });
    const { id } = (await response.json()) as { readonly id?: string };
    const { status } = response;
    return (status === 202 || status === 200) && id !== undefined ? { status, id } : { status };
  } catch {
    return undefined;
  }
}
