import type { Database } from 'better-sqlite3';
import type { Kysely } from 'kysely';
import type { Clock } from '../../../kernel/time/clock.ts';
import type { Random } from '../../../kernel/random.ts';
import type { DatabaseSchema } from './database-schema.ts';
import { drawStoreId } from '../sql/ids.ts';
import { rowsNow, runNow } from '../sql/run-now.ts';

/** The store's own name, drawn when it is first opened. */
export function findOrDrawStoreId(
  { database, query }: { readonly database: Database; readonly query: Kysely<DatabaseSchema> },
  clock: Clock,
  random: Random,
): string {
  const find = () => rowsNow(database, query.selectFrom('store').select('installation'))[0]?.installation;
  const draw = database.transaction(() => {
    const known = find();
    if (known !== undefined) return known;
    const storeId = drawStoreId(random);
    runNow(
      database,
      query.insertInto('store').values({ id: 1, installation: storeId, created_at: clock.now() }),
    );
    return storeId;
  });
  return find() ?? draw.immediate();
}
