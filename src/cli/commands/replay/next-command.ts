/** The commands that a replay suggests to run next. */
import type { ReplayRecord } from '../../../store/replays.ts';
import { commandName } from '../../command-name.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';
import type { RunFlags } from './replay-request.ts';

/** The most event ids in one command: a longer one is hard to copy. */
const MAX_IDS = 20;

/** The line that says how to resume a replay, at the same pace. */
export function resumeHint({ terminal }: Session, id: string, flags: RunFlags): string {
  return `Resume with: ${commandName(terminal.env)} replay --resume ${id}${paceFlags(flags)}`;
}

/**
 * The command that sends these events of a replay to its target again. Many events become a new replay,
 * which the command resumes.
 */
export async function resendCommand(
  session: Session,
  { target }: ReplayRecord,
  eventIds: readonly string[],
  flags: RunFlags,
): Promise<string> {
  const replayCommand = `${commandName(session.terminal.env)} replay`;
  if (eventIds.length <= MAX_IDS) {
    const ids = eventIds.map((id) => ` --id ${id}`).join('');
    return `${replayCommand} --to ${shellWord(target ?? '')}${ids}${paceFlags(flags)}`;
  }
  const rest = { filter: { ids: eventIds }, handlers: [], ifNotSucceeded: false, target };
  const { id } = await withStore(session, (store) => store.createReplay(rest, session.terminal.clock.now()));
  return `${replayCommand} --resume ${id}${paceFlags(flags)}`;
}

function paceFlags({ rate, concurrency }: RunFlags): string {
  const pace = [
    ...(rate === undefined ? [] : [` --rate ${String(rate)}`]),
    ...(concurrency === undefined ? [] : [` --concurrency ${String(concurrency)}`]),
  ];
  return pace.join('');
}

/** Quotes a word for a POSIX shell if it holds special characters, such as `&` in a URL. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
