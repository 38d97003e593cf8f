/** Reads at most `limit` events, oldest first, after event `after` when that is not null. */
export type ReadPage<E> = (after: string | null, limit: number) => Promise<readonly E[]>;

const PAGE_SIZE = 1000;

/** All events after event `after`, in arrival order, page by page. */
export async function* eventPages<E extends { readonly id: string }>(
  read: ReadPage<E>,
  after: string | null,
): AsyncGenerator<readonly E[]> {
  for (let last = after; ;) {
    const page = await read(last, PAGE_SIZE);
    if (page.length > 0) yield page;
    if (page.length < PAGE_SIZE) return;
    last = page.at(-1)?.id ?? last;
  }
}
