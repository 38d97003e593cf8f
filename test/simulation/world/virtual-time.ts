/**
 * Time, and the order of tasks, of a simulated process. What would wait for the event loop or for a timer is in two
 * queues; microtasks run between two tasks, as in Node.js.
 */
import type { Clock } from '../../../src/kernel/time/clock.ts';

/** What waits for its turn. Where several processes run, it belongs to one, and waits while that is paused. */
export interface Task {
  readonly run: () => void;
  readonly owner: { readonly isDead: boolean; readonly isPaused: boolean } | null;
}

interface Timer extends Task {
  readonly dueAt: number;
}

/** Tasks that follow each other without a timer, at most: more would be a loop. */
const MAX_TASKS = 10_000;

/** The real one: the simulation replaces the global. */
const realTurn = setImmediate;

/** A turn of the real event loop: Node.js reports the rejections that nobody handles. */
const turned = (): Promise<void> =>
  new Promise((resolve) => {
    realTurn(resolve);
  });

/** What waits for the next tick runs once all microtasks have run. That takes a tenth of a turn of the event loop. */
const drained = (): Promise<void> =>
  new Promise((resolve) => {
    process.nextTick(resolve);
  });

export class VirtualTime implements Clock {
  #elapsed = 0;
  #wall = Date.UTC(2026, 2, 1);
  /** The latest time that the wall clock has shown. */
  highest = 0;
  readonly #timers = new Set<Timer>();
  protected tasks: Task[] = [];
  #isFrozen = false;
  /** Tasks until the process dies; null while it may live. */
  #tasksLeft: number | null = null;
  ran = 0;
  /** How often no task was left. */
  rests = 0;

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { dueAt: this.#elapsed + Math.max(0, ms), ...this.owned(callback) };
    if (!this.#isFrozen) this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** As `setImmediate`. */
  immediate(task: () => void): void {
    if (!this.#isFrozen) this.tasks.push(this.owned(task));
  }

  /** With what belongs to whoever asks for it. */
  protected owned(run: () => void): Task {
    return { run, owner: null };
  }

  /** Changes the wall clock alone. */
  jump(ms: number): void {
    this.#wall += ms;
    this.highest = Math.max(this.highest, this.#wall);
  }

  /** The process is dead: nothing of it runs any more. */
  freeze(): void {
    this.#isFrozen = true;
    this.tasks = [];
    this.#timers.clear();
    this.#tasksLeft = null;
  }

  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  /** Another process begins, once the last microtasks of the dead one have run. */
  async thaw(): Promise<void> {
    await turned();
    this.#isFrozen = false;
  }

  /** Freezes after so many tasks; never with null. */
  freezeAfter(tasks: number | null): void {
    this.#tasksLeft = tasks;
  }

  /** Runs some tasks, all by default; false when the process died. */
  async run(most = MAX_TASKS): Promise<boolean> {
    await turned();
    for (let ran = 0; ran < most && !this.#isFrozen; ran += 1) {
      const task = this.tasks.shift();
      if (task === undefined) {
        this.rests += 1;
        return true;
      }
      if (this.#tasksLeft === 0) {
        this.freeze();
        return false;
      }
      if (this.#tasksLeft !== null) this.#tasksLeft -= 1;
      this.ran += 1;
      task.run();
      await drained();
    }
    if (most === MAX_TASKS && !this.#isFrozen)
      throw new Error('the process never rests: tasks without an end');
    return !this.#isFrozen;
  }

  /** Lets time pass: each timer fires when it is due. */
  async pass(ms: number): Promise<boolean> {
    const end = this.#elapsed + ms;
    while (await this.run()) {
      if (!this.fireNext(end)) {
        this.moveTo(end);
        return true;
      }
    }
    return false;
  }

  /** As after a suspended machine: time has passed, and what was due meanwhile fires once, late. */
  async sleep(ms: number): Promise<boolean> {
    this.moveTo(this.#elapsed + ms);
    return this.pass(0);
  }

  /** Waits, as a client beside the process does, until a promise settles; null when the process died or it takes too long. */
  async until<T>(promise: Promise<T>, maxMs = 120_000): Promise<{ value: T } | { error: unknown } | null> {
    const settled: ({ value: T } | { error: unknown })[] = [];
    promise.then(
      (value) => settled.push({ value }),
      (error: unknown) => settled.push({ error }),
    );
    const end = this.#elapsed + maxMs;
    while ((await this.run()) && settled.length === 0) {
      if (!this.fireNext(end)) return null;
    }
    return settled[0] ?? null;
  }

  /** Waits for what waits for the real disk. The process rests meanwhile, so that nothing depends on how long it takes. */
  async untilRead<T>(read: () => Promise<T>): Promise<{ value: T } | { error: unknown } | null> {
    if (!(await this.run())) return null;
    const settled: ({ value: T } | { error: unknown })[] = [];
    read().then(
      (value) => settled.push({ value }),
      (error: unknown) => settled.push({ error }),
    );
    while (settled.length === 0 && !this.#isFrozen) {
      await turned();
      if (this.tasks.length > 0) await this.run();
    }
    return settled[0] ?? null;
  }

  /** Fires the timer that is due first; false when none is until then. */
  protected fireNext(end: number): boolean {
    let first: Timer | undefined;
    // The older of two that are due at the same time is first in the set.
    for (const timer of this.#timers)
      if (timer.owner?.isDead === true) this.#timers.delete(timer);
      else if (timer.owner?.isPaused !== true && (first === undefined || timer.dueAt < first.dueAt))
        first = timer;
    if (first === undefined || first.dueAt > end) return false;
    this.moveTo(Math.max(first.dueAt, this.#elapsed));
    this.#timers.delete(first);
    first.run();
    return true;
  }

  protected moveTo(elapsed: number): void {
    this.jump(elapsed - this.#elapsed);
    this.#elapsed = elapsed;
  }
}
