/** Refuses a database that a copy writes. */
import { sql } from 'kysely';
import { PortariaError } from '../../../../kernel/errors.ts';
import { COPY_LOCK } from '../../sql/advisory-locks.ts';
import type { Session } from '../../sql/session.ts';

/**
 * Its tables are invisible until the copy ends: whoever opened it would wait to create them.
 *
 * @throws PortariaError `store-locked`
 */
export async function requireNoCopy(session: Session, location: string): Promise<void> {
  const found = await session.first(
    sql<{ free: boolean }>`select pg_try_advisory_xact_lock_shared(${COPY_LOCK}, 0) as free`,
  );
  if (found?.free === false)
    throw new PortariaError(
      'store-locked',
      `a store is being copied into ${location}: wait until \`portaria store copy\` has ended`,
    );
}
