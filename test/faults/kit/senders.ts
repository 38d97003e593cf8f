import { setTimeout as pause } from 'node:timers/promises';

/** Where a sender's next body comes from. */
export type Bodies = Iterator<string, unknown>;

/** The provider as one wishes it: every webhook again until it is acknowledged, one after the other. */
export interface Senders {
  /** Bodies that were acknowledged, by 202 or as a repeat, with the event's id. */
  readonly acknowledged: ReadonlyMap<string, string>;
  /** Answers other than an acknowledgement, by status. */
  readonly refusals: ReadonlyMap<number, number>;
  /** Sends to this address until nobody is there any more, until stopped, or until the bodies end. */
  sendTo(url: string): Promise<void>;
  /** Each sender ends with what it has under way. */
  stop(): void;
}

/** One sender for each stream of bodies, all at once. A refused body is sent again at once, and not overtaken. */
export function createSenders(streams: readonly Bodies[]): Senders {
  const acknowledged = new Map<string, string>();
  const refusals = new Map<number, number>();
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
      const answer = await post(url, body);
      if (answer === undefined) return;
      if (answer.id === undefined) {
        refusals.set(answer.status, (refusals.get(answer.status) ?? 0) + 1);
        await pause(20);
      } else {
        acknowledged.set(body, answer.id);
        unanswered.delete(stream);
      }
    }
  }

  return {
    acknowledged,
    refusals,
    async sendTo(url) {
      stopping = new AbortController();
      await Promise.all(streams.map((stream) => sendAll(stream, url, stopping.signal)));
    },
    stop() {
      stopping.abort();
    },
  };
}

/** Undefined when the connection is refused or breaks: nobody there. The id when it is an acknowledgement. */
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
