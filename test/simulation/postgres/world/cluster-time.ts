/**
 * The time of several processes and of the database. Each task and timer is of the process that asked for it: it waits
 * while the process is paused, and never runs once it is dead. When no task is left, the network takes a step.
 */
import { AsyncResource } from 'node:async_hooks';
import type { Clock } from '../../../../src/kernel/time/clock.ts';
import { VirtualTime, type Task } from '../../world/virtual-time.ts';
import { currentProcess, running, type SimulatedProcess } from './simulated-process.ts';

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
  /** A task that the world brings to a process. */
  bring(owner: SimulatedProcess, run: () => void): void {
    this.tasks.push({
      owner,
      run: () => {
        running.run(owner, run);
      },
    });
  }

  /** With the process and the context of whoever asks for it. */
  protected override owned(run: () => void): Task {
    return { run: AsyncResource.bind(run), owner: currentProcess() };
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
    this.tasks = this.tasks.filter(({ owner }) => owner?.isDead !== true);
    const at = this.tasks.findIndex(({ owner }) => owner?.isPaused !== true);
    return at === -1 ? undefined : this.tasks.splice(at, 1)[0];
  }

  override async pass(ms: number): Promise<boolean> {
    const end = this.monotonic() + ms;
    for (;;) {
      await this.run();
      if (this.fireNext(end)) continue;
      this.moveTo(Math.max(end, this.monotonic()));
      return !this.isFrozen;
    }
  }
}
