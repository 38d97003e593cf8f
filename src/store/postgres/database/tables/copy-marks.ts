/** The marks by which a database shows that a copy reads or writes it. */
import { sql } from 'kysely';
import { PortariaError } from '../../../../kernel/errors.ts';
import { unfinishedCopy } from '../../../shared/error-meaning.ts';
import type { StoreRole } from '../../../store.ts';
import { COPY_LOCK } from '../../sql/advisory-locks.ts';
import type { Session } from '../../sql/session.ts';

/**
 * Checks that no copy writes the database and that, for an owner, none reads it.
 *
 * @throws PortariaError `store-unsupported` for an unfinished copy, `store-locked` while the store is copied
 */
export async function requireNoCopy(
  session: Session,
  { role, location }: { readonly role: StoreRole; readonly location: string },
): Promise<void> {
  const found = await session.first(
    sql<{ unfinished: boolean; free: boolean }>`
      select to_regclass('copy_progress') is not null as unfinished,
        pg_try_advisory_xact_lock_shared(${COPY_LOCK}, 0) as free`,
  );
  if (found?.unfinished === true) throw unfinishedCopy(location);
  if (role === 'owner' && found?.free === false)
    throw new PortariaError(
      'store-locked',
      `${location} is being copied: wait until \`portaria store copy\` has ended, and serve one of the two`,
    );
}
