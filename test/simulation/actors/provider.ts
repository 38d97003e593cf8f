/** The provider's API: its records change, and its answers come, fail, are late, or never come. */
import { createClient } from '../../../src/client/create-client.ts';
import type { Client } from '../../../src/client/client.ts';
import { seededRandom } from '../../../src/kernel/random.ts';
import type { KnownEvent } from '../checker/identity.ts';
import type { Outside } from './outside.ts';
import type { ProviderMood } from './names.ts';
import { chargeOf } from './senders.ts';

type Act = 'answer' | 'missing' | 'limited' | 'fail' | 'break' | 'hang' | 'late';

const acts: Readonly<Record<ProviderMood, readonly Act[]>> = {
  up: ['answer'],
  mixed: ['answer', 'answer', 'answer', 'missing', 'limited', 'fail', 'break', 'late', 'hang'],
  down: ['fail', 'break', 'limited', 'hang'],
};

/** What an answer said of a charge; null where there was none. */
interface Answer {
  readonly subject: string;
  readonly content: number | null;
  readonly at: number;
}

export class Provider {
  mood: ProviderMood = 'up';
  readonly #world: Outside;
  readonly #records = new Map<number, number>();
  readonly #answers: Answer[] = [];
  /** How many answers there were when an event was stored. */
  readonly #before = new WeakMap<KnownEvent, number>();

  constructor(world: Outside) {
    this.#world = world;
  }

  /** A record has another content from now on. */
  change(subject: number, content: number): void {
    this.#records.set(subject, content);
  }

  stored(event: KnownEvent): void {
    this.#before.set(event, this.#answers.length);
  }

  /** What was answered of an event's record since it was stored, and whether nothing has failed for a minute before. */
  heardOf(event: KnownEvent): { readonly contents: readonly (number | null)[]; readonly isSure: boolean } {
    const before = this.#before.get(event) ?? 0;
    const from = (this.#answers[before]?.at ?? 0) - 60_000;
    const isSure = this.#answers.every(({ content, at }) => content !== null || at < from);
    const of = this.#answers.slice(before).filter(({ subject }) => subject === event.sent.subject);
    return { contents: of.map(({ content }) => content), isSure };
  }

  /** The client of a process. */
  client(): Client {
    const { time, seed } = this.#world;
    const random = seededRandom(seed);
    return createClient({
      ...{ url: 'http://provider.example', apiKey: 'key', clock: time, random },
      fetch: (url, { signal }) => this.#fetch(url, signal ?? null),
    });
  }

  async #fetch(url: string, signal: AbortSignal | null): Promise<Response> {
    const world = this.#world;
    if (world.time.isFrozen) return new Promise(() => undefined);
    const subject = Number(/\/v1\/charges\/(\d+)$/u.exec(url)?.[1]) - 1;
    const random = seededRandom(world.seed * 37 + this.#answers.length);
    const drawn = acts[this.mood];
    const act = drawn[Math.floor(random() * drawn.length)] ?? 'answer';
    world.note(`${url} is asked for: ${act}`);
    world.reach(`provider: ${act}`);
    const name = `default charge:${String(subject + 1)}`;
    const told = (content: number | null): void => {
      this.#answers.push({ subject: name, content, at: world.time.monotonic() });
    };
    if (act !== 'answer') told(null);
    const waits: Readonly<Partial<Record<string, number>>> = { hang: 10 ** 9, late: 7_000 };
    const ms = waits[act] ?? Math.floor(random() * 300);
    await new Promise<void>((resolve, reject) => {
      const end = world.time.after(ms, resolve);
      signal?.addEventListener('abort', () => {
        end();
        reject(signal.reason as Error);
      });
    });
    if (act === 'break') throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') });
    if (act === 'fail') return new Response(null, { status: 503 });
    if (act === 'limited') return new Response(null, { status: 429, headers: { 'retry-after': '1' } });
    const content = this.#records.get(subject) ?? null;
    if (act === 'answer') told(content);
    if (act === 'missing' || content === null) return new Response('{}', { status: 404 });
    return Response.json({ data: { ...chargeOf(subject, content), amount: random() } });
  }
}
