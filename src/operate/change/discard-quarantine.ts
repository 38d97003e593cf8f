/** Discards entries of the quarantine. */
import { PortariaError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { pause } from '../../kernel/time/pause.ts';
import type { Queries, QuarantineFilter, QuarantineRecord } from '../../store/queries.ts';
import type { Retention } from '../../store/retention.ts';
import type { EntryDiscardView } from '../../view/operation-views.ts';
import { eachPage } from '../../kernel/row-pages.ts';

/** Entries that one transaction removes with their bytes: a webhook that arrives meanwhile waits for it. */
const PAGE = 200;
/** Milliseconds between transactions: other writers go on. */
const PAUSE_MS = 20;

type DiscardStore = Pick<Queries, 'quarantined'> & Pick<Retention, 'pruneQuarantine'>;

export interface EntryDiscard {
  /** Selects entries by `ids` or other conditions, one at least. Only held ones are discarded. */
  readonly filter: QuarantineFilter;
  /** Why; the audit records it with the action. Empty only in a dry run. */
  readonly reason: string;
  readonly clock: Clock;
  /** Report what would be discarded, without changes. */
  readonly dryRun: boolean;
}

/**
 * Removes held entries of the quarantine with their bytes. Named entries that were released or do not exist are
 * reported and not changed, and so is an entry that came again meanwhile. Each page is a transaction: after an error
 * the earlier pages are gone.
 *
 * @throws PortariaError `invalid-argument` when nothing is selected or the reason is missing, and the store's errors
 */
export async function discardQuarantine(
  store: DiscardStore,
  { filter, reason, clock, dryRun }: EntryDiscard,
): Promise<EntryDiscardView> {
  requireSelection(filter);
  if (!dryRun && reason.trim() === '')
    throw new PortariaError('invalid-argument', 'reason is empty: say why they are discarded');
  const named = filter.ids === undefined ? null : [...new Set(filter.ids)];
  const discarded: string[] = [];
  const left = new Map<string, EntryDiscardView['left_alone'][number]['status']>(
    named?.map((id) => [id, null]),
  );
  const wanted: QuarantineFilter = named === null ? { ...filter, status: 'held' } : { ...filter, ids: named };
  const pages = eachPage((page) => store.quarantined(wanted, { order: 'oldest', ...page }), {
    limit: PAGE,
    ...(!dryRun && { between: () => pause(clock, PAUSE_MS) }),
  });
  for await (const page of pages) {
    for (const { id, status } of page) if (status === 'released') left.set(id, status);
    const held = page.filter(({ status }) => status === 'held');
    const stayed = dryRun ? new Set<string>() : await remove(store, held);
    for (const { id } of held) {
      if (stayed.has(id)) {
        left.set(id, 'held');
        continue;
      }
      left.delete(id);
      discarded.push(id);
    }
  }
  return { discarded, left_alone: [...left].map(([id, status]) => ({ id, status })) };
}

/**
 * Checks that a discard names what it discards.
 *
 * @throws PortariaError `invalid-argument`
 */
function requireSelection(filter: QuarantineFilter): void {
  const { ids, source, reason, kind, subject, problem } = filter;
  if ([ids, source, reason, kind, subject, problem].some((condition) => condition !== undefined)) return;
  throw new PortariaError(
    'invalid-argument',
    'No entry is selected: name ids, or select by problem, kind, subject, source or why it was quarantined',
  );
}

/** Removes entries as they were read. Returns the ids of those that stay, because they came again since. */
async function remove(
  store: DiscardStore,
  entries: readonly QuarantineRecord[],
): Promise<ReadonlySet<string>> {
  if (entries.length === 0) return new Set();
  const rows = entries.map(({ id }) => Number(id.slice(1)));
  const cameLast = Math.max(...entries.map(({ lastRepeatAt, receivedAt }) => lastRepeatAt ?? receivedAt));
  const removed = await store.pruneQuarantine(rows, cameLast + 1);
  if (removed === entries.length) return new Set();
  const ids = entries.map(({ id }) => id);
  const stayed = await store.quarantined({ ids }, { order: 'oldest', limit: PAGE });
  return new Set(stayed.map(({ id }) => id));
}
