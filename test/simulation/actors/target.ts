/** The target of replays to a URL, as `fetch` sees it: it takes events, refuses them, fails, hangs, or answers late. */
import { seededRandom } from '../../../src/kernel/random.ts';
import { nameOf } from '../checker/known-delivery.ts';
import { violated } from '../checker/violation.ts';
import { REFUSED } from '../world/settings.ts';
import type { Outside } from './outside.ts';
import type { TargetMood } from './names.ts';

type Act = 'take' | 'refuse' | 'fail' | 'break' | 'hang' | 'late';

const acts: Readonly<Record<TargetMood, readonly Act[]>> = {
  up: ['take'],
  mixed: ['take', 'take', 'take', 'fail', 'break', 'refuse', 'late', 'hang'],
  down: ['fail', 'break', 'fail', 'fail', 'hang'],
  refusing: ['refuse', 'refuse', 'take'],
  hanging: ['hang', 'late', 'take'],
};

/** What came to one URL. */
export interface Posted {
  /** Numbers of events that it took, that it refused for good, and that it was sent at all. */
  readonly taken: Set<number>;
  readonly refused: Set<number>;
  readonly sent: Set<number>;
}

export class Target {
  mood: TargetMood = 'up';
  readonly #world: Outside;
  readonly #posted = new Map<string, Posted>();
  /** Subjects of which a request is under way, by URL, of the present process. */
  #active = new Map<string, number>();
  readonly #used = new Set<string>();
  #process = 0;
  #requests = 0;

  constructor(world: Outside) {
    this.#world = world;
  }

  isInUse(url: string): boolean {
    return this.#used.has(url);
  }

  /** A job that posts to it has perhaps begun. */
  use(url: string): void {
    this.#used.add(url);
  }

  free(url: string): void {
    this.#used.delete(url);
  }

  at(url: string): Posted {
    const known = this.#posted.get(url) ?? { taken: new Set(), refused: new Set(), sent: new Set() };
    this.#posted.set(url, known);
    return known;
  }

  readonly fetch = ((url: string, init: RequestInit): Promise<Response> => {
    const world = this.#world;
    if (world.time.isFrozen) return new Promise(() => undefined);
    if (this.#process !== world.process) this.#active = new Map();
    this.#process = world.process;
    const number = Number(new Headers(init.headers).get('webhook-id')?.replace(/^.*-/u, ''));
    this.#requests += 1;
    const drawn = acts[this.mood];
    const random = seededRandom(world.seed * 31 + this.#requests);
    const act = drawn[Math.floor(random() * drawn.length)] ?? 'take';
    world.note(`event ${String(number)} is posted to ${url}: ${act}`);
    world.reach(`post: ${act}`);
    const lane = this.#begin(url, number, init);
    return this.#answer(act, url, number, random(), init.signal ?? null).finally(() => {
      this.#active.delete(lane);
    });
  }) as typeof fetch;

  /** Of a subject one event is sent at a time. @returns its lane */
  #begin(url: string, number: number, init: RequestInit): string {
    const world = this.#world;
    const event = world.identity.events[number - 1];
    const lane = event === undefined ? '' : `${url} ${event.sent.sending.source} ${nameOf(event)}`;
    world.tryCheck(() => {
      if (event === undefined)
        throw violated('acknowledged', `event ${String(number)} is posted, and nobody sent it`);
      const before = this.#active.get(lane);
      if (before !== undefined)
        throw violated('one at a time', `event ${String(number)} is posted beside event ${String(before)}`);
      const body = Buffer.from(init.body as Buffer).toString();
      const isErased = [...world.erasures].some((email) => event.sent.body.includes(email));
      if (body !== event.sent.body && !isErased)
        throw violated('plans', `event ${String(number)} is posted with another body`, body);
    });
    this.at(url).sent.add(number);
    this.#active.set(lane, number);
    return lane;
  }

  async #answer(act: Act, url: string, number: number, random: number, signal: AbortSignal | null) {
    const { time } = this.#world;
    const posted = this.at(url);
    const wait = (ms: number): Promise<void> =>
      new Promise((resolve, reject) => {
        const end = time.after(ms, resolve);
        signal?.addEventListener('abort', () => {
          end();
          reject(signal.reason as Error);
        });
      });
    if (act === 'hang') await wait(10 ** 9);
    await wait(Math.floor(random * 40) + (act === 'late' ? 8_000 : 0));
    if (act === 'break') throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') });
    if (act === 'fail') return new Response(null, { status: random < 0.5 ? 503 : 429 });
    if (act === 'refuse') posted.refused.add(number);
    else posted.taken.add(number);
    return new Response(null, { status: act === 'refuse' ? REFUSED : 204 });
  }
}
