import type { EventRecord } from '../event/stored-event.ts';
import type { EventFilter, Queries } from '../store/queries.ts';

const PAGE_SIZE = 500;

/** The events that match, in arrival order, after event `after` when given; page by page. */
export async function* eventPages(
  store: Pick<Queries, 'events'>,
  filter: EventFilter,
  after: string | null = null,
): AsyncGenerator<readonly EventRecord[]> {
  for (let last = after; ;) {
    const page = await store.events(filter, {
      order: 'oldest',
      limit: PAGE_SIZE,
      ...(last === null ? {} : { after: last }),
    });
    if (page.length > 0) yield page;
    if (page.length < PAGE_SIZE) return;
    last = page.at(-1)?.id ?? last;
  }
}
