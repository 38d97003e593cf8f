import type { Registry } from '../../../handle/load/registry.ts';
import { plannedCalls } from '../../../replay/replay-plan.ts';
import { fixedWindow, adaptiveWindow } from '../../../replay/replay-window.ts';
import { runReplay } from '../../../replay/run-replay.ts';
import type { ReplayProgress, ReplayRecord } from '../../../store/replays.ts';
import { replayView } from '../../../view/replay-view.ts';
import { exitCode } from '../../exit-code.ts';
import { listenForInterrupt } from '../../interruption.ts';
import { createProgress } from '../../output/progress.ts';
import { countsText } from '../../output/statistics-text.ts';
import type { Session } from '../../session.ts';
import { notFound } from '../../not-found.ts';
import { count } from './plan-text.ts';
import { resumeHint, type RunOptions } from './resume-hint.ts';
import { openRunner } from './open-runner.ts';

/** Deliveries that may be unfinished at a time, and more when they are finished quickly: enough to begin with, little for lanes. */
const WINDOW = 1000;

/** Runs a replay's calls here, or has the running `serve` run them, and says how it ended. */
export async function runCalls(
  session: Session,
  registry: Registry,
  replay: ReplayRecord,
  { plan, flags }: RunOptions,
): Promise<void> {
  const { terminal } = session;
  const interruption = listenForInterrupt(terminal);
  const runner = await openRunner(session, registry, replay.id, {
    signal: interruption.signal,
    concurrency: flags.concurrency,
  });
  const bar = createProgress(terminal, replay.id);
  try {
    const before = total(await runner.store.replayProgress(replay.id));
    const { ended, progress } = await runReplay(
      { store: runner.store, registry, runner, clock: terminal.clock },
      replay,
      {
        // Here the dispatcher keeps to the concurrency; elsewhere only the window can.
        window: runner.isOwner
          ? adaptiveWindow(WINDOW, terminal.clock)
          : fixedWindow(flags.concurrency ?? WINDOW),
        signal: interruption.signal,
        ...(flags.rate !== undefined && { rate: flags.rate }),
        onProgress(now) {
          // A machine's effects are calls too, and only those it brought about before could be planned.
          const all = Math.max(before + plannedCalls(plan), total(now));
          bar.update(
            total(now) - now.pending - now.running,
            all,
            now.dead > 0 ? `${String(now.dead)} dead` : '',
          );
        },
      },
    );
    await runner.release();
    bar.stop();
    const record = (await runner.store.replay(replay.id)) ?? notFound('replay', replay.id);
    const last = ended === 'interrupted' ? await runner.store.replayProgress(replay.id) : progress;
    if (flags.json) await session.print(JSON.stringify(replayView(record, last)));
    else await session.print(`${replay.id}: ${countsText({ ...last })}`);
    if (last.dead > 0) {
      session.exitCode = exitCode.partial;
      await session.note(`See what failed: portaria deliveries list --replay ${replay.id} --status dead`);
    }
    if (ended === 'done') return;
    session.exitCode = ended === 'interrupted' ? exitCode.interrupted : exitCode.partial;
    if (ended === 'blocked') await session.note(runner.whyBlocked);
    else if (last.pending > 0)
      await session.note(`${count(last.pending, 'call')} enqueued: \`portaria serve\` runs them as well.`);
    await session.note(resumeHint(replay.id, flags));
  } finally {
    bar.stop();
    await runner.close();
    interruption.release();
  }
}

function total({ pending, running, succeeded, dead, skipped }: ReplayProgress): number {
  return pending + running + succeeded + dead + skipped;
}
