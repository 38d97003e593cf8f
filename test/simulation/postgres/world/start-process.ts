/** Starts and stops the receiver of a process, in the process. */
import type { Definition } from '../../../../src/handle/define/definition.ts';
import type { Logger } from '../../../../src/kernel/logger.ts';
import { seededRandom } from '../../../../src/kernel/random.ts';
import { createFollowingClock } from '../../../../src/kernel/time/following-clock.ts';
import { violated } from '../../checker/violation.ts';
import type { Database } from '../../world/database.ts';
import { openReceiver } from '../../world/receiver.ts';
import { isExpected } from '../../world/world.ts';
import type { SharedTime } from './cluster-time.ts';
import type { SimulatedProcess } from './simulated-process.ts';

interface Host {
  readonly seed: number;
  readonly time: SharedTime;
  readonly database: Database;
  kill(process: SimulatedProcess): void;
}

interface StartOptions {
  readonly handlers: readonly Definition[];
  readonly concurrency: number;
  readonly log: Logger;
}

/** @returns whether it runs: it may have died, or not have reached the database */
export async function startProcess(
  host: Host,
  process: SimulatedProcess,
  options: StartOptions,
): Promise<boolean> {
  const { time, seed } = host;
  const clock = createFollowingClock(time.clockOf(process));
  process.now = clock.now;
  const opening = openReceiver({
    ...{ ...options, clock, database: host.database.address, random: seededRandom(seed + process.number) },
    onFatal: () => {
      host.kill(process);
    },
  });
  const opened = valueOf(await time.until(opening));
  process.receiver = opened;
  if (opened === null) return false;
  valueOf(await time.until(opened.start()));
  return !process.isDead;
}

export async function stopReceiver(host: Host, process: SimulatedProcess, graceMs: number): Promise<void> {
  const { receiver } = process;
  const stopped = receiver === null ? null : await host.time.until(receiver.stop(graceMs));
  if (stopped === null && !process.isDead) throw violated('answered', 'the process never stops');
  valueOf(stopped);
}

/** Null for an error that a fault may have caused. */
function valueOf<T>(ended: { readonly value: T } | { readonly error: unknown } | null): T | null {
  if (ended !== null && 'value' in ended) return ended.value;
  if (ended !== null && !isExpected(ended.error))
    throw violated(
      'no error',
      ended.error instanceof Error ? String(ended.error.stack) : String(ended.error),
    );
  return null;
}
