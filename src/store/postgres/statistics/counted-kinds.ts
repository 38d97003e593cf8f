/** Bounds the number of unknown kinds that are counted one by one. */
import { sql } from 'kysely';
import { MAX_COUNTED_KIND, MAX_UNKNOWN_KINDS, OTHER_KINDS } from '../../shared/statistics/counted-kinds.ts';
import type { Session } from '../sql/session.ts';

/** Decides which unknown kinds have counts of their own: the first 1,000, unless they are too long. */
export interface CountedKinds {
  /** Gives kinds counts of their own while there are places. Called before the transaction that counts them. */
  admit(kinds: readonly string[]): Promise<void>;
  /** Returns the kind to count an event under. */
  countedAs(kind: string): string;
}

/** @param session runs each query by itself: no transaction keeps a place from the others */
export function createCountedKinds(session: Session): CountedKinds {
  const counted = new Set<string>();

  async function read(): Promise<void> {
    const rows = await session.rows(sql<{ kind: string }>`select kind from counted_kinds`);
    for (const { kind } of rows) counted.add(kind);
  }

  async function takePlace(kind: string): Promise<void> {
    while (!counted.has(kind) && counted.size < MAX_UNKNOWN_KINDS) {
      // Another process may take the same place, or give the kind another one.
      await session.run(sql`
        insert into counted_kinds (place, kind)
        select place, ${kind} from (select coalesce(max(place), 0) + 1 as place from counted_kinds) as free
        where place <= ${MAX_UNKNOWN_KINDS}
        on conflict do nothing`);
      await read();
    }
  }

  return {
    async admit(kinds) {
      const unknown = new Set(kinds.filter((kind) => kind.length <= MAX_COUNTED_KIND && !counted.has(kind)));
      if (unknown.size === 0 || counted.size >= MAX_UNKNOWN_KINDS) return;
      await read();
      for (const kind of unknown) await takePlace(kind);
    },
    countedAs: (kind) => (counted.has(kind) ? kind : OTHER_KINDS),
  };
}
