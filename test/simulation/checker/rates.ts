/** A rate that handlers share: of their calls, in any time a burst and one for each interval, and none while it is closed. */
import { RATE } from '../actors/handlers.ts';
import { isLimited } from '../actors/names.ts';
import type { Call } from './calls.ts';
import { violated } from './violation.ts';

const INTERVAL_MS = 1_000 / RATE.limit;
/** Calls that are compared with the next one. */
const COMPARED = 100;

/** What it needs of the world. */
interface Host {
  readonly seed: number;
  readonly time: { readonly now: () => number };
  /** How often the wall clock has jumped. */
  readonly jumps: number;
  isCalm(): boolean;
  reach(what: string): void;
}

export class Rates {
  readonly #world: Host;
  /** When calls began, by the wall clock. */
  #starts: number[] = [];
  /** Since when the target wants a pause, and until when. */
  #closed = { from: 0, until: 0, process: 0 };
  #jumps = 0;

  constructor(world: Host) {
    this.#world = world;
  }

  /** A clock that jumps may fill the rate, or open it. */
  #look(): number {
    const { time, jumps } = this.#world;
    if (jumps !== this.#jumps) {
      this.#starts = [];
      this.#closed.until = 0;
    }
    this.#jumps = jumps;
    return time.now();
  }

  begin({ handler, delivery, process }: Call): void {
    if (!isLimited(handler, this.#world.seed)) return;
    const now = this.#look();
    this.#starts = [...this.#starts.slice(-COMPARED), now];
    for (const [at, start] of this.#starts.entries()) {
      const calls = this.#starts.length - at;
      if (calls > RATE.burst + (now - start) / INTERVAL_MS)
        throw violated('rates', `${calls} calls in ${now - start} ms, with ${delivery} to ${handler}`);
    }
    const { from, until } = this.#closed;
    const mayBeLost = process !== this.#closed.process || !this.#world.isCalm();
    if (now > from && now < until && !mayBeLost)
      throw violated('rates', `${delivery} runs ${handler} ${until - now} ms before its target wants calls`);
  }

  end({ handler, closesRate, how, waitMs, process }: Call): void {
    const { seed } = this.#world;
    if (!isLimited(handler, seed) || !closesRate || how !== 'later') return;
    this.#world.reach('a rate is closed');
    const from = this.#look();
    const until = from + waitMs;
    if (until > this.#closed.until) this.#closed = { from, until, process };
  }
}
