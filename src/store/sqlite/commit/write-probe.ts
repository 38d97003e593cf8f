import type { Connection } from '../sql/connection.ts';
import { prepare } from '../sql/statement.ts';

/** A write that changes nothing, to see whether writing works. To be called inside a transaction. */
export function createWriteProbe({ database, query }: Connection): () => void {
  const touch = prepare(database, () =>
    query
      .updateTable('store')
      .set((eb) => ({ created_at: eb.ref('created_at') }))
      .where('id', '=', 1),
  );
  return () => void touch.run({});
}
