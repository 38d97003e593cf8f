/** Detects a pooler between this process and the server. */
import { sql } from 'kysely';
import type pg from 'pg';
import type { Session } from '../../sql/session.ts';

/** What follows from a pooler without an address past it, for logs and `doctor`. */
export const WITHOUT_DIRECT =
  'a pooler stands before PostgreSQL, so processes get no notifications and poll: set PORTARIA_DATABASE_DIRECT to the ' +
  'address of the database without the pooler';

/**
 * Whether a connection goes to the server itself. Poolers, in any mode, tell a client another number than that of the
 * server's process, because the two change.
 */
export async function isWithoutPooler(client: pg.ClientBase, session: Session): Promise<boolean> {
  const { processID: told } = client as pg.ClientBase & { readonly processID: number | null };
  const own = await session.first(sql<{ pid: number }>`select pg_backend_pid() as pid`);
  return own?.pid === told;
}
