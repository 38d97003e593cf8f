import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { poster, type TimedAnswer } from './poster.ts';
import { chargeBody } from './webhooks.ts';

/** How an honest sender was served. */
export interface Service {
  readonly answered: number;
  /** Answers other than 202, and requests without any. */
  readonly refused: number;
  /** Milliseconds to the answer. */
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

export interface GoodClient {
  /** Lets what is under way end. */
  stop(): Promise<Service>;
}

/**
 * Posts webhooks one after the other until stopped: two senders, one that keeps
 * its connection and one that opens another for each.
 *
 * @param subject of the first sender's charges; the other's are of the next
 * @param restMs between an answer and the next webhook: none loads both sides as much as one connection can
 */
export function startGoodClient(url: string, subject: number, restMs = 0): GoodClient {
  const senders = [poster(url, new Agent({ keepAlive: true, maxSockets: 1 })), poster(url, new Agent())];
  const times: number[] = [];
  let refused = 0;
  const stopping = new AbortController();

  async function send(post: (body: string) => Promise<TimedAnswer>, id: number): Promise<void> {
    for (let turn = 1; !stopping.signal.aborted; turn += 1) {
      const answer = await post(chargeBody(id, turn)).catch(() => undefined);
      if (answer?.status === 202) times.push(answer.ms);
      else refused += 1;
      if (restMs > 0) await pause(restMs);
    }
  }

  const sending = Promise.all(senders.map((post, at) => send(post, subject + at)));
  return {
    async stop() {
      stopping.abort();
      await sending;
      const sorted = times.toSorted((one, other) => one - other);
      const at = (share: number): number =>
        Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? NaN);
      return { answered: sorted.length, refused, p50: at(0.5), p99: at(0.99), longest: at(1) };
    },
  };
}
