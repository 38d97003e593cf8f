import type { ReplayRecord } from '../../../store/replays.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';
import { paceText, type RunOptions } from './resume-hint.ts';

/** More ids than this make no command line that one would copy. */
const MAX_IDS = 20;

/**
 * The command that sends these events of a replay to its target again. Many of
 * them become a replay of their own, which the command resumes.
 */
export async function resendCommand(
  session: Session,
  { target }: ReplayRecord,
  eventIds: readonly string[],
  flags: RunOptions['flags'],
): Promise<string> {
  if (eventIds.length <= MAX_IDS) {
    const ids = eventIds.map((id) => ` --id ${id}`).join('');
    return `portaria replay --to ${shellWord(target ?? '')}${ids}${paceText(flags)}`;
  }
  const rest = { filter: { ids: eventIds }, handlers: [], ifNotSucceeded: false, target };
  const { id } = await withStore(session, (store) => store.createReplay(rest, session.terminal.clock.now()));
  return `portaria replay --resume ${id}${paceText(flags)}`;
}

/** Quoted where a shell would make something else of it, such as `&` in an address. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
