import { setImmediate as turn } from 'node:timers/promises';
import { createClient } from '../../src/client/create-client.ts';
import type { ClientOptions } from '../../src/client/client-options.ts';
import type { Drift } from '../../src/client/drift.ts';
import { manualClock, type ManualClock } from '../../src/testing/manual-clock.ts';
import { openTestProvider } from '../../provider/test/test-provider.ts';

/** A client of a provider in the same process: both of their sides are real, the network is not there. */
export async function openClientWorld() {
  const world = await openTestProvider();
  const drifts: Drift[] = [];
  const clientOf = (apiKey: string) =>
    createClient({
      url: 'http://provider.example/',
      apiKey,
      fetch: (url, init) => world.app.fetch(new Request(url, init)),
      clock: world.clock,
      onDrift: (drift) => drifts.push(drift),
    });
  return {
    ...world,
    drifts,
    clientOf,
    client: clientOf(world.ours.key),
    foreign: clientOf(world.theirs.key),
  };
}

/** What a scripted provider does with one request. */
export type Reaction = (init: RequestInit) => Response | Promise<Response>;

export const answer =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}): Reaction =>
  () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });

/** As fetch does when the system says `code`. */
export const failing =
  (code: string): Reaction =>
  () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
  };

/** Never answers, and does not heed its signal either. */
export const silent: Reaction = () => new Promise(() => undefined);

export interface Scripted {
  readonly client: ReturnType<typeof createClient>;
  readonly clock: ManualClock;
  readonly requests: readonly { readonly url: string; readonly init: RequestInit; readonly at: number }[];
  readonly drifts: readonly Drift[];
  /** Lets time pass, from timer to timer, until `work` is settled. */
  finish<T>(work: Promise<T>): Promise<T>;
}

/** A client of a provider that does what it is told, one request after the other; draws are all a half. */
export function scripted(reactions: readonly Reaction[], options: Partial<ClientOptions> = {}): Scripted {
  const clock = manualClock();
  const requests: { url: string; init: RequestInit; at: number }[] = [];
  const drifts: Drift[] = [];
  const client = createClient({
    url: 'http://provider.example',
    apiKey: 'key-of-ours',
    async fetch(url, init) {
      requests.push({ url, init, at: clock.monotonic() });
      const reaction = reactions[requests.length - 1];
      if (reaction === undefined) throw new Error(`request ${String(requests.length)} was not expected`);
      return reaction(init);
    },
    clock,
    random: () => 0.5,
    onDrift: (drift) => drifts.push(drift),
    ...options,
  });
  return {
    client,
    clock,
    requests,
    drifts,
    async finish(work) {
      const ended = outcomeKnown(work);
      for (let steps = 0; steps < 1_000; steps += 1) {
        if (await Promise.race([ended, nothingHappens()])) return work;
        if (clock.untilNext !== null) clock.advance(clock.untilNext);
      }
      throw new Error('it never ended');
    },
  };
}

async function outcomeKnown(work: Promise<unknown>): Promise<true> {
  await Promise.allSettled([work]);
  return true;
}

/** More turns of the event loop than any chain of steps without a timer takes. */
async function nothingHappens(): Promise<false> {
  for (let turns = 0; turns < 20; turns += 1) await turn();
  return false;
}

/** What a call was rejected with. */
export async function rejection(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('it was not rejected');
}

/** All that comes of an iteration. */
export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
