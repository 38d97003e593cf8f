/** Decides who hears of a repair that does not say so. */
import { eachPage } from '../../kernel/row-pages.ts';
import type { RepairSelection } from '../../store/jobs.ts';
import type { Queries } from '../../store/queries.ts';

/**
 * A repair is told to machines only while its source has no event but those of repairs: it fills the store, and to
 * handlers the whole history is no news.
 */
export async function toldByDefault(
  store: Pick<Queries, 'events'>,
  source: string,
): Promise<RepairSelection['handlers']> {
  for await (const events of eachPage((page) => store.events({ source }, { order: 'oldest', ...page })))
    if (events.some(({ flags }) => !flags.includes('reconciled'))) return 'all';
  return 'machines';
}
