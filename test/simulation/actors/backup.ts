/** A backup while the file is served: the copy has what was acknowledged before it began, and nothing that nobody sent. */
import { existsSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { backUp } from '../../../src/store/sqlite/copies/back-up.ts';
import { openRows } from '../checker/rows.ts';
import { lookAtTotals } from '../checker/totals.ts';
import { violated } from '../checker/violation.ts';
import { isExpected, type World } from '../world/world.ts';

/** Nothing where there is no file. */
export async function backup(world: World): Promise<void> {
  const from = world.database.address;
  if (!existsSync(from)) return;
  const acknowledged = world.identity.events.length;
  const to = `${from}.copy`;
  const { signal } = new AbortController();
  const onProgress = (): void => undefined;
  world.commands += 1;
  const options = { ...{ from, to, signal, onProgress }, shownAs: 'the copy', force: true };
  const made = await world.time.untilRead(() => backUp(options));
  if (made === null || ('error' in made && isExpected(made.error))) return;
  if ('error' in made) throw violated('backup', `a backup failed: ${String(made.error)}`);
  world.reach('backup');
  const copy = new BetterSqlite3(to, { readonly: true });
  try {
    const rows = openRows(copy);
    const [events, stored] = [rows.events(), world.rows.events()];
    if (events.length < acknowledged || events.length > stored.length)
      throw violated(
        'backup',
        `a copy has ${events.length} events, ${acknowledged} were acknowledged before, ${stored.length} are stored`,
      );
    for (const [at, { id, body }] of events.entries())
      if (id !== stored[at]?.id || (body !== stored[at].body && stored[at].body !== null))
        throw violated('backup', `a copy has another event ${id}`, stored[at]);
    lookAtTotals({ rows });
  } finally {
    copy.close();
  }
}
