import { setTimeout as pause } from 'node:timers/promises';
import type { Ended } from '../../support/launch-program.ts';
import { serve, type RunningPortaria } from '../../support/running-portaria.ts';
import { allHandled } from './statistics.ts';

/** More ends than any bounded loop of restarts needs. */
const MAX_ENDS = 20;
/** Without an answer for this long a process counts as stuck, also where many want its processor. */
const STUCK_MS = 3_000;

/**
 * Runs Portaria as a supervisor does: starts it again whenever it ends, and
 * kills it when it no longer answers. Stops it when no delivery is unfinished.
 * Returns how it ended before that, in order.
 */
export async function superviseUntilSettled(
  env: Readonly<Record<string, string>>,
  afterFirstStart: (running: RunningPortaria) => Promise<void>,
): Promise<readonly Ended[]> {
  const ends: Ended[] = [];
  for (let running = await serve(env); ; running = await serve(env)) {
    void killIfStuck(running);
    if (ends.length === 0) await afterFirstStart(running);
    const settled = await Promise.race([
      allHandled(running, 60_000).catch(() => undefined),
      running.ended.then(() => undefined),
    ]);
    if (settled !== undefined) {
      running.kill('SIGTERM');
      await running.ended;
      return ends;
    }
    ends.push(await running.ended);
    if (ends.length > MAX_ENDS) throw new Error(`it keeps ending:\n${running.written()}`);
  }
}

async function killIfStuck({ operators, ended, kill }: RunningPortaria): Promise<void> {
  const over = ended.then(() => true);
  while (!(await Promise.race([over, pause(200, false)]))) {
    const probe = fetch(new URL('healthz', operators), { signal: AbortSignal.timeout(STUCK_MS) });
    await probe.catch(() => {
      kill('SIGKILL');
    });
  }
}
