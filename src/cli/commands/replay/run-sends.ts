/** Runs a replay that posts events to a target. */
import { loadConfig } from '../../../config/load-config.ts';
import type { Config } from '../../../config/config.ts';
import { countOf } from '../../../kernel/text/count.ts';
import { printableLine } from '../../../kernel/text/printable.ts';
import type { ReplayPlan } from '../../../replay/replay-plan.ts';
import { sendToTarget, type SendOutcome } from '../../../replay/send-to-target.ts';
import type { ReplayRecord } from '../../../store/replays.ts';
import { exitCode, type ExitCode } from '../../exit-code.ts';
import { listenForInterrupt } from '../../interruption.ts';
import { createProgress } from '../../output/progress.ts';
import { withoutApi, type Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';
import { resendCommand, resumeHint } from './next-command.ts';
import { createPost } from './post-event.ts';
import type { RunFlags } from './replay-request.ts';

const CONCURRENCY = 4;
/** The most failures that are printed one by one: a wrong target fails for every event. */
const MAX_FAILURES_SHOWN = 20;

/** Posts the events of a replay to its target, and reports the outcome. */
export async function runSends(
  session: Session,
  replay: ReplayRecord,
  { plan, flags }: { readonly plan: ReplayPlan; readonly flags: RunFlags },
): Promise<void> {
  const { terminal } = session;
  const post = createPost(targetOf(session, replay), terminal);
  const interruption = listenForInterrupt(terminal);
  const bar = createProgress(terminal, replay.id);
  const failures: string[] = [];
  try {
    const outcome = await withStore(session, (store) =>
      sendToTarget({ store, post, clock: terminal.clock, random: terminal.random }, replay, {
        concurrency: flags.concurrency ?? CONCURRENCY,
        signal: interruption.signal,
        ...(flags.rate !== undefined && { rate: flags.rate }),
        onProgress({ delivered, failed }) {
          bar.update(delivered + failed, plan.events, failed > 0 ? `${String(failed)} failed` : '');
        },
        onFailure({ id, kind }, reason) {
          if (failures.length < MAX_FAILURES_SHOWN) failures.push(printableLine(`${id} ${kind}: ${reason}`));
        },
      }),
    );
    bar.stop();
    for (const failure of failures) await session.note(failure);
    if (outcome.failed > failures.length)
      await session.note(`and ${String(outcome.failed - failures.length)} more`);
    await session.print(summary(replay, outcome, flags.json));
    session.exitCode = exitCodeOf(outcome);
    if (outcome.ended === 'target-down')
      await session.note(`Stopped: too many requests to ${replay.target ?? ''} failed in a row.`);
    if (outcome.leftBehind.length > 0)
      await session.note(
        `Send the failed events again with: ${await resendCommand(session, replay, outcome.leftBehind, flags)}`,
      );
    if (outcome.ended !== 'done') await session.note(resumeHint(session, replay.id, flags));
  } finally {
    bar.stop();
    interruption.release();
  }
}

/** The target, with the secret and the timeout that the forward address has in the settings. */
function targetOf(session: Session, { target }: ReplayRecord): NonNullable<Config['forward']> {
  const env = { ...withoutApi(session.environment()), PORTARIA_FORWARD_URL: target ?? '' };
  const { forward } = loadConfig(env, session.terminal.cwd);
  if (forward === null) throw new Error('a replay without a target cannot be sent');
  return forward;
}

function summary({ id }: ReplayRecord, outcome: SendOutcome, json: boolean): string {
  const { delivered, failed, pruned, ended } = outcome;
  if (json) return JSON.stringify({ replay: id, ended, delivered, failed, pruned });
  const leftOut = pruned === 0 ? '' : `, ${String(pruned)} left out: their bodies are pruned`;
  return `${id}: ${countOf(delivered, 'event')} delivered, ${String(failed)} failed${leftOut}`;
}

function exitCodeOf({ ended, delivered, failed }: SendOutcome): ExitCode {
  if (ended === 'interrupted') return exitCode.interrupted;
  if (failed === 0) return exitCode.ok;
  return delivered > 0 ? exitCode.partial : exitCode.failed;
}
