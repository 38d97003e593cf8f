/**
 * The time of several processes and of the database. Each task and timer is of the process that asked for it: it waits
 * while the process is paused, and never runs once it is dead. When no task is left, the network takes a step.
 */
import { AsyncResource } from 'node:async_hooks';
import type { Clock } from '../../../../src/kernel/time/clock.ts';
import { VirtualTime } from '../../world/virtual-time.ts';
import { currentProcess, running, type SimulatedProcess } from './simulated-process.ts';

interface Task {
  readonly run: () => void;
  readonly owner: SimulatedProcess | null;
}

interface Timer extends Task {
  readonly dueAt: number;
}

/** Tasks and statements that follow each other without a timer, at most: more would be a loop. */
const MAX_TASKS = 50_000;

const turn = setImmediate;
const drained = (): Promise<void> =>
  new Promise((resolve) => {
    turn(resolve);
  });

export class SharedTime extends VirtualTime {
  /** Takes a step of the network; false when there is none. */
  network: () => boolean = () => false;
  #elapsed = 0;
  #wall = Date.UTC(2026, 2, 1);
  #timers = new Set<Timer>();
  #tasks: Task[] = [];

  override now(): number {
    return this.#wall;
  }

  override monotonic(): number {
    return this.#elapsed;
  }

  override after(ms: number, callback: () => void): () => void {
    const timer = { dueAt: this.#elapsed + Math.max(0, ms), ...owned(callback) };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  override immediate(task: () => void): void {
    this.#tasks.push(owned(task));
  }

  /** A task that the world brings to a process. */
  bring(owner: SimulatedProcess, run: () => void): void {
    this.#tasks.push({
      owner,
      run: () => {
        running.run(owner, run);
      },
    });
  }

  override jump(ms: number): void {
    this.#wall += ms;
    this.highest = Math.max(this.highest, this.#wall);
  }

  /** Whether the process is dead that the code runs in. */
  override get isFrozen(): boolean {
    return currentProcess()?.isDead === true;
  }

  /** The machine's clock of a process. */
  clockOf(process: SimulatedProcess): Clock {
    return {
      now: () => this.now() + process.ahead,
      monotonic: () => this.monotonic(),
      after: (ms, callback) => this.after(ms, callback),
    };
  }

  override async run(most = MAX_TASKS): Promise<boolean> {
    await drained();
    for (let ran = 0; ran < most; ran += 1) {
      const task = this.#nextTask();
      if (task === undefined && !this.network()) return !this.isFrozen;
      task?.run();
      this.ran += 1;
      await drained();
    }
    if (most === MAX_TASKS) throw new Error('the processes never rest: tasks without an end');
    return !this.isFrozen;
  }

  #nextTask(): Task | undefined {
    this.#tasks = this.#tasks.filter(({ owner }) => owner?.isDead !== true);
    const at = this.#tasks.findIndex(({ owner }) => owner?.isPaused !== true);
    return at === -1 ? undefined : this.#tasks.splice(at, 1)[0];
  }

  override async pass(ms: number): Promise<boolean> {
    const end = this.#elapsed + ms;
    for (;;) {
      await this.run();
      const next = this.#next();
      if (next === undefined || next.dueAt > end) {
        this.#moveTo(Math.max(end, this.#elapsed));
        return !this.isFrozen;
      }
      this.#fire(next);
    }
  }

  override async sleep(ms: number): Promise<boolean> {
    this.#moveTo(this.#elapsed + ms);
    return this.pass(0);
  }

  override async until<T>(
    promise: Promise<T>,
    maxMs = 120_000,
  ): Promise<{ value: T } | { error: unknown } | null> {
    const settled: ({ value: T } | { error: unknown })[] = [];
    promise.then(
      (value) => settled.push({ value }),
      (error: unknown) => settled.push({ error }),
    );
    const end = this.#elapsed + maxMs;
    while ((await this.run()) && settled.length === 0) {
      const next = this.#next();
      if (next === undefined || next.dueAt > end) return null;
      this.#fire(next);
    }
    return settled[0] ?? null;
  }

  #fire(timer: Timer): void {
    this.#moveTo(Math.max(timer.dueAt, this.#elapsed));
    this.#timers.delete(timer);
    timer.run();
  }

  #next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.owner?.isDead === true) this.#timers.delete(timer);
      else if (timer.owner?.isPaused !== true && (first === undefined || timer.dueAt < first.dueAt))
        first = timer;
    }
    return first;
  }

  #moveTo(elapsed: number): void {
    this.jump(elapsed - this.#elapsed);
    this.#elapsed = elapsed;
  }
}

/** With the process and the context of whoever asks for it. */
function owned(callback: () => void): Task {
  return { run: AsyncResource.bind(callback), owner: currentProcess() };
}
