import { isEventKind } from '../../../contract/catalogue.ts';
import type { Connection } from '../sql/connection.ts';
import { prepare } from '../sql/statement.ts';

/** Kinds outside the contract that are counted one by one. Senders may make up any number of them. */
export const MAX_UNKNOWN_KINDS = 1_000;

/** Stands for all the others in `event_counts`. The parser refuses an empty kind. */
export const OTHER_KINDS = '';

/** Which unknown kinds have rows of counts of their own. */
export interface CountedKinds {
  /** The kind to count an event under. To be called inside a transaction. */
  countedAs(kind: string): string;
  /** Reads the kinds again at the next question: a transaction was undone. */
  forget(): void;
}

export function createCountedKinds({ database, query }: Connection): CountedKinds {
  const read = prepare<object, { kind: string }>(database, () =>
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
      if (counted.size < MAX_UNKNOWN_KINDS) {
        // Another process may have counted others. The transaction keeps it out from here on.
        counted = new Set(read.all({}).map((row) => row.kind));
        if (counted.has(kind)) return kind;
        if (counted.size < MAX_UNKNOWN_KINDS) {
          counted.add(kind);
          return kind;
        }
      }
      return OTHER_KINDS;
    },
    forget: () => void (counted = new Set()),
  };
}

/** Whether events that fit these kinds or wildcards may have been counted together with others. */
export async function mayBeCountedTogether(
  { query }: Pick<Connection, 'query'>,
  kinds: readonly string[] | undefined,
): Promise<boolean> {
  if (kinds?.every(isEventKind) === true) return false;
  const row = await query
    .selectFrom('event_counts')
    .select('kind')
    .where('kind', '=', OTHER_KINDS)
    .where('events', '>', 0)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
