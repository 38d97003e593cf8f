import { setTimeout as pause } from 'node:timers/promises';
import type { Ended } from '../../../support/launch-program.ts';
import { serve, type RunningPortaria } from '../../../support/running-portaria.ts';
import { allHandled } from '../statistics.ts';

/** More restarts than any test needs. */
const MAX_ENDS = 20;
/** A process that does not respond for this long counts as stuck. Long enough for a busy machine. */
const STUCK_MS = 6_000;

/**
 * Runs Portaria as a supervisor does: restarts it whenever it ends, and kills it when it does not
 * respond. Stops it once every delivery is finished.
 *
 * @returns how each earlier process ended, in order.
 */
export async function superviseUntilFinished(
  env: Readonly<Record<string, string>>,
  afterFirstStart: (running: RunningPortaria) => Promise<void>,
): Promise<readonly Ended[]> {
  const ends: Ended[] = [];
  for (let running = await serve(env); ; running = await serve(env)) {
    void killIfStuck(running);
    if (ends.length === 0) await afterFirstStart(running);
    const finished = await Promise.race([
      allHandled(running, 60_000).catch(() => undefined),
      running.ended.then(() => undefined),
    ]);
    if (finished !== undefined) {
      running.kill('SIGTERM');
      await running.ended;
      return ends;
    }
    ends.push(await running.ended);
    if (ends.length > MAX_ENDS) throw new Error(`the process keeps ending:\n${running.written()}`);
  }
}

async function killIfStuck({ operators, ended, kill }: RunningPortaria): Promise<void> {
  const over = ended.then(() => true);
  while (!(await Promise.race([over, pause(200, false)]))) {
    const probe = fetch(new URL('healthz', operators), { signal: AbortSignal.timeout(STUCK_MS) });
    await probe.catch((error: unknown) => {
      // A process that is about to end by itself closes its connections, and has yet to say why it ends.
      if (error instanceof Error && error.name === 'TimeoutError') kill('SIGKILL');
    });
  }
}
