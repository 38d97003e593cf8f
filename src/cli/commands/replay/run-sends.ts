import { loadConfig } from '../../../config/load-config.ts';
import type { Config } from '../../../config/config.ts';
import { sendToTarget, type SendOutcome } from '../../../replay/send-to-target.ts';
import type { ReplayRecord } from '../../../store/replays.ts';
import { exitCode, type ExitCode } from '../../exit-code.ts';
import { createPost } from '../../http/post-event.ts';
import { listenForInterrupt } from '../../interruption.ts';
import { printableLine } from '../../../kernel/text/printable.ts';
import { createProgress } from '../../output/progress.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';
import { count } from './plan-text.ts';
import { resendCommand } from './resend-command.ts';
import { resumeHint, type RunOptions } from './resume-hint.ts';

const CONCURRENCY = 4;
/** Failures that are told one by one; a target that is wrong would fill the screen. */
const FAILURES_SHOWN = 20;

/** Posts a replay's events to its target and says how it ended. */
export async function runSends(
  session: Session,
  replay: ReplayRecord,
  { plan, flags }: RunOptions,
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
          if (failures.length < FAILURES_SHOWN) failures.push(printableLine(`${id} ${kind}: ${reason}`));
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
      await session.note(`Stopped: ${replay.target ?? ''} failed again and again.`);
    if (outcome.leftBehind.length > 0)
      await session.note(
        `Send what failed again: ${await resendCommand(session, replay, outcome.leftBehind, flags)}`,
      );
    if (outcome.ended !== 'done') await session.note(resumeHint(replay.id, flags));
  } finally {
    bar.stop();
    interruption.release();
  }
}

/** The target stands where the forward address does, with its secret and time limit. */
function targetOf(session: Session, { target }: ReplayRecord): NonNullable<Config['forward']> {
  const env = { ...session.environment(), PORTARIA_FORWARD_URL: target ?? '' };
  const { forward } = loadConfig(env, session.terminal.cwd);
  if (forward === null) throw new Error('a replay without a target cannot be sent');
  return forward;
}

function summary({ id }: ReplayRecord, outcome: SendOutcome, json: boolean): string {
  const { delivered, failed, ended } = outcome;
  if (json) return JSON.stringify({ replay: id, ended, delivered, failed });
  return `${id}: ${count(delivered, 'event')} delivered, ${String(failed)} failed`;
}

function exitCodeOf({ ended, delivered, failed }: SendOutcome): ExitCode {
  if (ended === 'interrupted') return exitCode.interrupted;
  if (failed === 0) return exitCode.ok;
  return delivered > 0 ? exitCode.partial : exitCode.failed;
}
