import type { Database } from 'better-sqlite3';
import type { Kysely } from 'kysely';
import type { Clock } from '../../kernel/clock.ts';
import type { Random } from '../../kernel/random.ts';
import type { DatabaseSchema } from './database-schema.ts';
import { drawInstallation } from './ids.ts';
import { rowsNow, runNow } from './run-now.ts';

/** The store's own name, drawn when it is first opened. */
export function findOrDrawInstallation(
  { database, query }: { readonly database: Database; readonly query: Kysely<DatabaseSchema> },
  clock: Clock,
  random: Random,
): string {
  const find = () => rowsNow(database, query.selectFrom('store').select('installation'))[0]?.installation;
  const draw = database.transaction(() => {
    const known = find();
    if (known !== undefined) return known;
    const installation = drawInstallation(random);
    runNow(database, query.insertInto('store').values({ id: 1, installation, created_at: clock.now() }));
    return installation;
  });
  return find() ?? draw.immediate();
}
