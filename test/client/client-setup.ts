import { setImmediate as nextTick } from 'node:timers/promises';
import { createClient } from '../../src/client/create-client.ts';
import type { ClientOptions } from '../../src/client/client-options.ts';
import type { Drift } from '../../src/client/drift.ts';
import { manualClock, type ManualClock } from '../../src/testing/manual-clock.ts';
import { openTestProvider } from '../../provider/test/kit/test-provider.ts';

/** Opens a client of a provider in the same process. Both are real; only the network is missing. */
export async function openClientSetup() {
  const provider = await openTestProvider();
  const drifts: Drift[] = [];
  const clientOf = (apiKey: string) =>
    createClient({
      url: 'http://provider.example/',
      apiKey,
      fetch: (url, init) => provider.app.fetch(new Request(url, init)),
      clock: provider.clock,
      onDrift: (drift) => drifts.push(drift),
    });
  return {
    ...provider,
    drifts,
    clientOf,
    client: clientOf(provider.ours.key),
    foreign: clientOf(provider.theirs.key),
  };
}

/** Handles one request of a scripted provider. */
export type Reaction = (init: RequestInit) => Response | Promise<Response>;

/** Responds with a status and a body. */
export const respond =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}): Reaction =>
  () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });

/** Fails like `fetch` does for a system error. */
export const failWith =
  (code: string): Reaction =>
  () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
  };

/** Never responds, and ignores its signal. */
export const silent: Reaction = () => new Promise(() => undefined);

export interface Scripted {
  readonly client: ReturnType<typeof createClient>;
  readonly clock: ManualClock;
  readonly requests: readonly { readonly url: string; readonly init: RequestInit; readonly at: number }[];
  readonly drifts: readonly Drift[];
  /** Advances the clock from timer to timer until `work` settles. */
  finish<T>(work: Promise<T>): Promise<T>;
}

/** Creates a client of a provider that handles its requests by `reactions`, in order. Random numbers are all 0.5. */
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
      const settled = whenSettled(work);
      for (let steps = 0; steps < 1_000; steps += 1) {
        if (await Promise.race([settled, manyTicks()])) return work;
        if (clock.untilNext !== null) clock.advance(clock.untilNext);
      }
      throw new Error('the work never settled');
    },
  };
}

async function whenSettled(work: Promise<unknown>): Promise<true> {
  await Promise.allSettled([work]);
  return true;
}

/** Waits for more ticks than any chain of steps without a timer takes. */
async function manyTicks(): Promise<false> {
  for (let ticks = 0; ticks < 20; ticks += 1) await nextTick();
  return false;
}

/** Returns the error that a call rejects with. */
export async function rejection(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('the call did not reject');
}

/** Collects all items of an iteration. */
export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
