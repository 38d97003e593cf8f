import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { poster, type TimedResponse } from './poster.ts';
import { chargeBody } from './webhooks.ts';

/** The response times of a well-behaved client. */
export interface ServiceLevel {
  readonly answered: number;
  /** Responses other than 202, and requests without a response. */
  readonly refused: number;
  /** Milliseconds until the response. */
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

export interface GoodClient {
  /** Waits for the requests in flight, and returns the measurements. */
  stop(): Promise<ServiceLevel>;
}

/**
 * Posts valid webhooks one after the other until it is stopped. It has two senders: one reuses its
 * connection, the other opens a new one for each webhook.
 *
 * @param subject the subject of the first sender's charges; the second sender uses the next one.
 * @param restMs the pause between a response and the next webhook in milliseconds.
 */
export function startGoodClient(url: string, subject: number, restMs = 0): GoodClient {
  const senders = [poster(url, new Agent({ keepAlive: true, maxSockets: 1 })), poster(url, new Agent())];
  const times: number[] = [];
  let refused = 0;
  const stopping = new AbortController();

  async function send(post: (body: string) => Promise<TimedResponse>, id: number): Promise<void> {
    for (let number = 1; !stopping.signal.aborted; number += 1) {
      const answer = await post(chargeBody(id, number)).catch(() => undefined);
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
