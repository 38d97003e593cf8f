/** Runs a story of several processes on PostgreSQL. */
import { look } from '../checker/look.ts';
import { violated } from '../checker/violation.ts';
import { handlerNames } from '../actors/names.ts';
import { Run, tellStory, type StoryResult } from '../run-story.ts';
import { USUAL, type Setup, type Step } from '../story.ts';
import type { PostgresStep, ProcessStep } from './postgres-story.ts';
import { createPostgresWorld, type PostgresWorld, type SimulationServer } from './world/postgres-world.ts';
import { running, type SimulatedProcess } from './world/simulated-process.ts';

export function runPostgresStory(
  server: SimulationServer,
  { seed, receivers }: { readonly seed: number; readonly receivers: number },
  steps: readonly PostgresStep[],
): Promise<StoryResult> {
  const world = createPostgresWorld(seed, server);
  return tellStory(new PostgresRun(world, receivers), steps as readonly Step[]);
}

class PostgresRun extends Run {
  declare readonly world: PostgresWorld;
  readonly #slots: (SimulatedProcess | null)[];

  constructor(world: PostgresWorld, receivers: number) {
    super(world);
    this.#slots = Array.from({ length: receivers }, () => null);
  }

  override async begin({ handlers }: Setup): Promise<void> {
    for (const at of this.#slots.keys()) await this.#open(at, handlers);
  }

  async #open(at: number, mask: number): Promise<void> {
    this.#slots[at] = await this.world.openProcess(mask, this.concurrency);
  }

  /** The process of a place, or another one that can answer. */
  #at(place: number): SimulatedProcess | undefined {
    const { length } = this.#slots;
    return (
      this.#slots
        .map((_, at) => this.#slots[(place + at) % length])
        .find((one) => one?.isDead === false && !one.isPaused && !one.isIsolated) ?? undefined
    );
  }

  override async take({ on = 0, ...step }: PostgresStep): Promise<void> {
    const { world } = this;
    await this.afterDeath();
    world.note(`at ${String(on)}: ${JSON.stringify(step)}`);
    const process = this.#at(on);
    if (process === undefined) {
      await world.time.pass(1_000);
      return;
    }
    if (isProcessStep(step)) {
      world.faults += 1;
      await this.#happen(process, step);
      await world.time.run();
      return;
    }
    if (step.do === 'look') {
      await this.look();
      return;
    }
    if (step.do === 'flood') {
      // A load balancer gives each process some.
      for (const [at, sent] of step.sent.entries())
        running.run(this.#at(on + at) ?? process, () => {
          world.send(sent);
        });
      await world.time.run();
      return;
    }
    world.aim(process);
    if (step.do === 'restart') {
      const at = this.#slots.indexOf(process);
      await world.stopProcess(process, step.graceMs);
      await this.#open(at, step.handlers);
      return;
    }
    await running.run(process, () => super.take(step));
    world.aim(process);
  }

  async #happen(process: SimulatedProcess, step: ProcessStep): Promise<void> {
    const { world } = this;
    switch (step.do) {
      case 'fault':
        world.network.faults.plan(process, step, step.spared, step.times);
        break;
      case 'stop':
        process.isPaused = true;
        world.time.after(step.ms, () => {
          process.isPaused = false;
        });
        break;
      case 'isolate':
        process.isIsolated = true;
        world.network.cutAll(process);
        world.time.after(step.ms, () => {
          process.isIsolated = false;
        });
        break;
      case 'kill':
        world.kill(process);
        break;
      case 'revive':
        await this.#revive();
        break;
      case 'clock':
        process.ahead = step.ms;
        break;
      case 'slow':
        world.network.isSlow = step.is;
    }
  }

  async #revive(): Promise<void> {
    for (const [at, process] of this.#slots.entries()) {
      if (process !== null && !process.isDead) continue;
      this.world.reach('start after a death');
      await this.#open(at, USUAL.handlers);
    }
  }

  /** The others go on when a process has died; when all have, they are started again. */
  override async afterDeath(): Promise<void> {
    if (this.#slots.every((process) => process === null || process.isDead)) await this.#revive();
  }

  /** Looks at everything once nothing is on its way. */
  override async look(): Promise<void> {
    const { world } = this;
    const process = this.#at(0);
    const isDisturbed = world.living.some(({ isPaused, isIsolated }) => isPaused || isIsolated);
    if (process === undefined || isDisturbed || world.network.faults.areAny) return;
    const wasSlow = world.network.isSlow;
    world.network.isSlow = false;
    for (let waited = 0; !world.network.isQuiet || world.isWaiting; waited += 50) {
      if (waited > 60_000) throw violated('answered', 'statements never end');
      await world.time.pass(50);
    }
    world.noteUnanswered();
    world.aim(process);
    await running.run(process, () => look(world, true));
    world.network.isSlow = wasSlow;
  }

  override async finish(): Promise<void> {
    const { world } = this;
    world.network.faults.heal();
    world.network.isSlow = false;
    for (const handler of handlerNames) world.setMood(handler, 'good');
    await world.time.pass(30_000);
    await this.#revive();
    await this.look();
    for (const [at, process] of this.#slots.entries()) {
      if (process !== null && !process.isDead) await world.stopProcess(process, 10_000);
      await this.#open(at, USUAL.handlers);
    }
    const process = this.#at(0);
    if (process === undefined) throw violated('ends', 'no process lives');
    world.aim(process);
    await running.run(process, () => this.endAll());
    await this.look();
  }

  override close(): Promise<void> {
    this.world.close();
    return Promise.resolve();
  }
}

function isProcessStep(step: PostgresStep): step is ProcessStep {
  return ['fault', 'stop', 'isolate', 'kill', 'revive', 'clock', 'slow'].includes(step.do);
}
