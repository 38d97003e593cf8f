/** Draws a new store id for a file that is a copy of an earlier one: after a restore, and for `store renew-id`. */
import { realpathSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import type { Random } from '../../../kernel/random.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import { drawUnusedStoreId } from '../../shared/ids.ts';
import { renewedStoreId, type LastEvent } from '../../shared/renewal.ts';
import type { RenewalOptions, RenewedStoreId } from '../../store.ts';
import { appendAudit } from '../../shared/audit/audit-writes.ts';
import { openDatabase } from '../file/open-database.ts';
import { acquireOwnerLock } from '../file/owner-lock.ts';
import { storeError } from '../file/store-error.ts';
import { createConnection, createQueryBuilder, formerStoreIds } from '../sql/connection.ts';
import { sqliteDialect } from '../sql/dialect.ts';
import { perform } from '../sql/perform.ts';
import { storeIdsOf } from './replaced-database.ts';

/**
 * Events keep the ids under which handlers and operators know them; later ones get the new store id.
 *
 * @param used further store ids that are not drawn
 * @returns the new store id
 */
export function giveNewStoreId(
  copy: Database,
  used: readonly string[],
  { clock, random }: { readonly clock: Pick<Clock, 'now'>; readonly random: Random },
): string {
  const storeId = drawUnusedStoreId([...used, ...storeIdsOf(copy)], random);
  const draw = copy.transaction(() => {
    copy
      .prepare(
        `insert or ignore into former_store_ids (last_event, store_id, replaced_at)
           select max(events.id), store.installation, ? from store, events having max(events.id) is not null`,
      )
      .run(clock.now());
    copy.prepare('update store set installation = ?').run(storeId);
  });
  draw.immediate();
  return storeId;
}

/**
 * Gives the store in a file a new store id, because the file was put back by other means than `restore`.
 *
 * @throws PortariaError `store-locked` while a process owns the file, `store-busy` while a command writes it
 */
export function renewInSqlite(path: string, options: RenewalOptions): RenewedStoreId {
  const file = realpathSync(path);
  const lock = acquireOwnerLock(file);
  let database: Database | undefined;
  try {
    const opened = (database = openDatabase(file));
    return opened.transaction(() => renew(opened, options)).immediate();
  } catch (error) {
    throw storeError(error, file);
  } finally {
    database?.close();
    lock.release();
  }
}

function renew(database: Database, options: RenewalOptions): RenewedStoreId {
  const formerStoreId = database.prepare<[], string>('select installation from store').pluck().get() ?? '';
  const last = database
    .prepare<[], LastEvent>('select id, received_at as receivedAt from events order by id desc limit 1')
    .get();
  const storeId = giveNewStoreId(database, [], options);
  const about = { location: database.name, storeId, formerStoreId };
  const renewed = renewedStoreId(about, last, formerStoreIds(database, createQueryBuilder(database)));
  perform(
    createConnection(database, storeId, options.clock),
    appendAudit(sqliteDialect, options.entry(renewed)),
  );
  return renewed;
}
