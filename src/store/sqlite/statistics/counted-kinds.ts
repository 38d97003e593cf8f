/** Bounds the number of unknown kinds that are counted one by one. */
import { MAX_COUNTED_KIND, MAX_UNKNOWN_KINDS, OTHER_KINDS } from '../../shared/statistics/counted-kinds.ts';
import type { Connection } from '../sql/connection.ts';
import { prepare } from '../sql/statement.ts';

/** Decides which unknown kinds have counts of their own. */
export interface CountedKinds {
  /** Returns the kind to count an event under. Called inside a transaction. */
  countedAs(kind: string): string;
  /** Clears the cache after a rollback. */
  clear(): void;
}

export function createCountedKinds({ database, query }: Connection): CountedKinds {
  const readKinds = prepare<object, { kind: string }>(database, () =>
    query
      .selectFrom('event_counts')
      .select('kind')
      .distinct()
      .where('recognized', '=', 0)
      .where('kind', '<>', OTHER_KINDS),
  );
  let counted = new Set<string>();

  return {
    countedAs(kind) {
      if (counted.has(kind)) return kind;
      if (kind.length <= MAX_COUNTED_KIND && counted.size < MAX_UNKNOWN_KINDS) {
        // Another process may have counted new kinds; this transaction now keeps it from writing.
        counted = new Set(readKinds.all({}).map((row) => row.kind));
        if (counted.has(kind)) return kind;
        if (counted.size < MAX_UNKNOWN_KINDS) {
          counted.add(kind);
          return kind;
        }
      }
      return OTHER_KINDS;
    },
    clear: () => void (counted = new Set()),
  };
}
