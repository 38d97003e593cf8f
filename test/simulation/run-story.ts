/** Runs a story: the steps on a simulated machine, with what must hold. */
import { backup } from './actors/backup.ts';
import { handlerNames } from './actors/names.ts';
import * as operators from './actors/operators.ts';
import * as plans from './actors/plans.ts';
import { release } from './actors/releases.ts';
import { watchdog } from './actors/watchdog.ts';
import { look, takeStock } from './checker/look.ts';
import { violated, Violation } from './checker/violation.ts';
import { USUAL, type Setup, type Step } from './story.ts';
import { World } from './world/world.ts';

export interface StoryResult {
  /** Of everything that happened: the same for the same story. */
  readonly hash: string;
  readonly violation: Violation | null;
  /** The step at which it was found, from 0. */
  readonly at: number;
  readonly webhooks: number;
  /** Calls of handlers, and folds. */
  readonly attempts: number;
  /** What operators did. */
  readonly commands: number;
  readonly faults: number;
  readonly simulatedMs: number;
  readonly reached: ReadonlyMap<string, number>;
}

const HOUR = 3_600_000;
/** A story looks at everything after so many steps, and at its end. */
const LOOK_EVERY = 40;

export function runStory(seed: number, steps: readonly Step[]): Promise<StoryResult> {
  return tellStory(new Run(new World(seed)), steps);
}

export async function tellStory(run: Run, steps: readonly Step[]): Promise<StoryResult> {
  const { world } = run;
  const rejected = (error: unknown): void => {
    if (!world.time.isFrozen) world.fail(error);
  };
  process.on('unhandledRejection', rejected);
  let at = 0;
  let violation: Violation | null = null;
  try {
    await run.begin(USUAL);
    for (; at < steps.length; at += 1) {
      await run.take(steps[at] as Step);
      if (at % LOOK_EVERY === LOOK_EVERY - 1) await run.look();
      await run.afterDeath();
      world.requireNoViolation();
    }
    await run.finish();
  } catch (error) {
    if (!(error instanceof Violation)) world.fail(error);
    violation = error instanceof Violation ? error : null;
    try {
      world.requireNoViolation();
    } catch (first) {
      violation = first as Violation;
    }
  } finally {
    await run.close();
    process.off('unhandledRejection', rejected);
  }
  const { webhooks, calls, folds, commands, faults, reached, hash } = world;
  const simulatedMs = world.time.monotonic();
  return { hash, violation, at, webhooks, attempts: calls + folds, commands, faults, simulatedMs, reached };
}

export class Run {
  readonly world: World;
  protected readonly concurrency: number;
  #setup = USUAL;

  constructor(world: World) {
    this.world = world;
    this.concurrency = [1, 2, 4, 16][world.seed % 4] ?? 4;
  }

  async begin(setup: Setup): Promise<void> {
    this.#setup = setup;
    await this.world.open(setup, this.concurrency);
    await this.world.start();
    await this.afterDeath();
  }

  async take(step: Step): Promise<void> {
    const world = this.world;
    const { time, disk } = world;
    world.note(JSON.stringify(step));
    const { receiver } = world;
    if (receiver === null) return;
    switch (step.do) {
      case 'send':
        world.send(step.sent);
        await time.run(step.tasks);
        break;
      case 'flood':
        for (const sent of step.sent) world.send(sent);
        await time.run();
        break;
      case 'pass':
        await time.pass(step.ms);
        break;
      case 'sleep':
        if (await time.sleep(step.ms)) await time.pass(step.thenMs);
        break;
      case 'jump':
        world.faults += 1;
        world.jumps += 1;
        time.jump(step.ms);
        break;
      case 'mood':
        world.setMood(handlerNames[step.handler] ?? 'watcher', step.mood);
        break;
      case 'disk':
        world.faults += 1;
        disk.plan(step.fault, step.after, step.times);
        break;
      case 'heal':
        disk.heal();
        break;
      case 'die':
        world.faults += 1;
        time.freezeAfter(step.tasks);
        break;
      case 'restart':
        await this.restart(step.graceMs, step);
        break;
      case 'retry':
      case 'discard':
        await operators.changeDeliveries(world, receiver, step);
        break;
      case 'pause':
        await operators.pause(world, receiver, step);
        break;
      case 'resume':
        await operators.resume(world, receiver, step);
        break;
      case 'plan':
        await plans.plan(world, receiver, step);
        if (step.upgrade) await this.restart(50, { ...this.#setup, otherKinds: !this.#setup.otherKinds });
        if (step.start && world.receiver !== null)
          await plans.start(world, world.receiver, { which: world.plans.length - 1, beside: step.beside });
        break;
      case 'start':
        await plans.start(world, receiver, step);
        break;
      case 'provider':
        world.provider.mood = step.mood;
        break;
      case 'record':
        world.provider.change(step.subject, step.content);
        break;
      case 'target':
        world.target.mood = step.mood;
        break;
      case 'backup':
        await backup(world);
        break;
      case 'cancel':
        await plans.cancel(world, receiver, step.which);
        break;
      case 'release':
        await release(world, receiver, step.beside);
        break;
      case 'hold':
      case 'free':
        await operators.hold(world, receiver, step);
        break;
      case 'erase':
        await operators.erase(world, receiver, step);
        break;
      case 'prune':
        await operators.pruneOld(world, receiver, step.beside);
        break;
      case 'rebuild':
        await operators.rebuild(world, receiver, step);
        break;
      case 'look':
        await look(world);
    }
  }

  /** Opens the file again after the process has died. */
  async afterDeath(): Promise<void> {
    const world = this.world;
    while (world.time.isFrozen) {
      world.reach('start after a death');
      await world.bury();
      await watchdog(world);
      takeStock(world);
      await world.open(this.#setup, this.concurrency);
      await world.start();
    }
  }

  protected async restart(graceMs: number, setup: Setup): Promise<void> {
    const world = this.world;
    const { receiver } = world;
    if (receiver === null) return;
    world.isStopping = true;
    const stopped = await world.time.until(receiver.stop(graceMs));
    world.isStopping = false;
    if (stopped === null && !world.time.isFrozen) throw violated('answered', 'the process never stops');
    if (stopped !== null && 'error' in stopped)
      throw violated('no error', `a stop failed: ${String(stopped.error)}`);
    this.#setup = setup;
    if (world.time.isFrozen) return;
    world.reach('restart');
    world.time.freeze();
    await world.bury();
    takeStock(world);
    await this.begin(setup);
  }

  async look(isAll = false): Promise<void> {
    await look(this.world, isAll);
  }

  /** Everything becomes well again; then everything ends. */
  async finish(): Promise<void> {
    const world = this.world;
    world.disk.heal();
    world.time.freezeAfter(null);
    for (const handler of handlerNames) world.setMood(handler, 'good');
    world.target.mood = 'up';
    world.provider.mood = 'up';
    await look(world, true);
    await this.afterDeath();
    // A clock that is set back prolongs no wait, and no restart is needed for that.
    if (world.seed % 2 === 1) await this.take({ do: 'jump', ms: -HOUR });
    const isWhole = this.#setup.handlers === USUAL.handlers;
    if (world.seed % 2 === 0 || !isWhole || world.isUnrecorded) await this.restart(10_000, USUAL);
    await this.afterDeath();
    world.requireNoViolation();
    await this.endAll();
  }

  /** Nothing is paused any more, and every delivery and job ends. */
  protected async endAll(): Promise<void> {
    const world = this.world;
    const { receiver } = world;
    if (receiver === null) return;
    world.deliveries.pauses.clear();
    // Longer than a wait that clock jumps or breakers leave.
    for (let round = 0; round < 12; round += 1) {
      // Again: what ended the process too often is a dead letter now, and its lane may wait.
      const paused = await world.time.until(receiver.store.pauses());
      for (const delivery of world.deliveries.known) world.deliveries.letGo(delivery);
      if (paused !== null && 'value' in paused)
        await world.time.until(receiver.store.resume(paused.value.map(({ id }) => id)));
      receiver.portaria.dispatcher.wake();
      if (this.#open().length === 0 && this.world.rows.runningJobs() === 0) break;
      await world.time.pass(round < 6 ? 5_000 : 20_000);
    }
    world.requireNoViolation();
    await this.look(true);
    for (const job of world.jobs) await plans.lookAtJob(world, receiver, job);
    if (world.rows.runningJobs() > 0) throw violated('ends', 'a job goes on, and nothing keeps it');
    const [open] = this.#open();
    if (open !== undefined) throw violated('ends', `${open.id} waits, and nothing keeps it`, open);
    world.requireNoViolation();
  }

  #open() {
    return this.world.rows.openDeliveries().filter(({ status }) => status !== 'dead');
  }

  async close(): Promise<void> {
    const world = this.world;
    if (!world.time.isFrozen) world.time.freeze();
    await world.bury();
    world.close();
  }
}
