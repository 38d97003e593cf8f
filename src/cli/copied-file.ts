/** Finds an SQLite file that `store copy` has copied into PostgreSQL: served again, it gives out the ids of the copy. */
import { isPostgresAddress } from '../kernel/postgres-address.ts';
import type { AuditLog } from '../store/audit.ts';

/** The warning of a copied file; null for others, and for one that has got another store id since. */
export async function copiedFileWarning(
  store: Pick<AuditLog, 'audit'>,
  database: string,
): Promise<string | null> {
  // The entry about the copy is in both.
  if (isPostgresAddress(database)) return null;
  const newest = async (action: string) => (await store.audit({ action }, { order: 'newest', limit: 1 }))[0];
  const copied = await newest('copyStore');
  if (copied === undefined) return null;
  for (const renewal of ['restoreDatabase', 'renewStoreId'])
    if (((await newest(renewal))?.at ?? -Infinity) >= copied.at) return null;
  return `${database} was copied to ${copied.subject['to'] ?? 'PostgreSQL'} at ${new Date(copied.at).toISOString()}, and both give out the same ids: move the file away, or run \`portaria store renew-id\` before it is served`;
}
