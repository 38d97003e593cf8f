/** The command that sends failed events of a replay to its URL again. */
import type { JobRecord } from '../../../store/jobs.ts';
import type { Store } from '../../../store/store.ts';
import { commandName } from '../../command-name.ts';
import type { Session } from '../../session.ts';

/** The most event ids in one command: a longer one is hard to copy. */
const MAX_IDS = 20;

/** Says how to send the events that failed again; null for a job that sends none. */
export async function resendText(
  { terminal }: Session,
  store: Pick<Store, 'failedItems'>,
  { id, selection, rate, failed }: JobRecord,
): Promise<string | null> {
  if (!('events' in selection) || selection.events.target === null || failed === 0) return null;
  const ids = await store.failedItems(id, MAX_IDS);
  const words = [
    `${commandName(terminal.env)} replay --to ${shellWord(selection.events.target)}`,
    ...ids.map((event) => `--id ${event}`),
    ...(rate === null ? [] : [`--rate ${String(rate)}`]),
  ];
  const which = failed > ids.length ? `the first ${String(ids.length)} of them` : 'them';
  return `Send ${which} again with: ${words.join(' ')}`;
}

/** Quotes a word for a POSIX shell if it holds special characters, such as `&` in a URL. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
