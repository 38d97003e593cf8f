/** Runs a replay that calls handlers. */
import { withProgress } from '../../../operate/show/list-replays.ts';
import { plannedCalls, type ReplayPlan } from '../../../replay/replay-plan.ts';
import { fixedWindow, adaptiveWindow } from '../../../replay/replay-window.ts';
import { runReplay } from '../../../replay/run-replay.ts';
import type { Store } from '../../../store/store.ts';
import { errorText } from '../../../view/payload/unmasking.ts';
import { scopeText } from '../../../view/pause-view.ts';
import type { ReplayProgress, ReplayRecord } from '../../../store/replays.ts';
import { commandName } from '../../command-name.ts';
import { exitCode } from '../../exit-code.ts';
import { listenForInterrupt } from '../../interruption.ts';
import { countOf } from '../../../kernel/text/count.ts';
import { createProgress } from '../../output/progress.ts';
import { countsText } from '../../output/statistics-text.ts';
import type { Session } from '../../session.ts';
import { notFound } from '../../with-store.ts';
import { resumeHint } from './next-command.ts';
import { openRunner, type LoadLocal } from './open-runner.ts';
import type { RunFlags } from './replay-request.ts';

/** The most unfinished deliveries at first. The window grows while they finish quickly. */
const WINDOW = 1000;

/** Runs the calls of a replay here, or enqueues them for a running `serve`, and reports the outcome. */
export async function runCalls(
  session: Session,
  local: LoadLocal,
  replay: ReplayRecord,
  { plan, flags }: { readonly plan: ReplayPlan; readonly flags: RunFlags },
): Promise<void> {
  const { terminal } = session;
  const interruption = listenForInterrupt(terminal);
  const runner = await openRunner(session, local, replay, {
    signal: interruption.signal,
    concurrency: flags.concurrency,
  });
  const bar = createProgress(terminal, replay.id);
  try {
    const paused = await notePauses(session, runner.store, replay);
    const before = total(await runner.store.replayProgress(replay.id));
    const { ended, progress } = await runReplay(
      { store: runner.store, registry: runner.registry, runner, clock: terminal.clock },
      replay,
      {
        // The dispatcher of this process limits its own concurrency; that of `serve` only the window can limit.
        window: runner.isOwner
          ? adaptiveWindow(WINDOW, terminal.clock)
          : fixedWindow(flags.concurrency ?? WINDOW),
        signal: interruption.signal,
        ...(flags.rate !== undefined && { rate: flags.rate }),
        onProgress(now) {
          // Effects of machines are calls that the plan could not know.
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
    if (flags.json) await session.print(JSON.stringify(await withProgress(runner.store, record)));
    else await session.print(`${replay.id}: ${countsText({ ...last })}`);
    if (last.dead > 0) {
      session.exitCode = exitCode.partial;
      await session.note(
        `See the errors with: ${commandName(terminal.env)} deliveries list --replay ${replay.id} --status dead`,
      );
    }
    if (ended === 'done') return;
    session.exitCode = ended === 'interrupted' ? exitCode.interrupted : exitCode.partial;
    if (ended === 'blocked') {
      const waits = paused || (await notePauses(session, runner.store, replay));
      if (!waits) await session.note(runner.whyBlocked);
    } else if (last.pending > 0)
      await session.note(
        `${countOf(last.pending, 'call')} still enqueued; \`portaria serve\` runs those whose handlers it has.`,
      );
    await session.note(resumeHint(session, replay.id, flags));
  } finally {
    bar.stop();
    await runner.close();
    interruption.release();
  }
}

/** Says which calls of a replay wait for an operator's pause; returns whether some may. */
async function notePauses(
  session: Session,
  store: Pick<Store, 'pauses'>,
  { handlers }: ReplayRecord,
): Promise<boolean> {
  let found = false;
  for (const pause of await store.pauses()) {
    const { handler, reason, pausedBy } = pause;
    const concerns =
      handler === null || handlers.some((name) => name === handler || handler === `${name}/effects`);
    if (!concerns) continue;
    found = true;
    await session.note(
      `Paused by ${pausedBy}: ${scopeText(pause)} (${errorText(reason, { unmask: false })}). Its calls wait until \`${commandName(session.terminal.env)} handlers resume --id ${pause.id}\`.`,
    );
  }
  return found;
}

function total({ pending, running, succeeded, dead, skipped }: ReplayProgress): number {
  return pending + running + succeeded + dead + skipped;
}
