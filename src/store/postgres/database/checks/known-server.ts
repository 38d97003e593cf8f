/** Notices that the database was restored, moved or has failed over since the store was last known. */
import { sql } from 'kysely';
import { PortariaError } from '../../../../kernel/errors.ts';
import type { StoreCheck } from '../../../store.ts';
import { codeOf } from '../../../rows/error-meaning.ts';
import type { Query, Session } from '../../sql/session.ts';

/** Identifies the server and the database of a store. A part differs only after a restore, a move or a failover. */
export interface ServerIdentity {
  /** The identifier of the cluster; null where the user may not read it. */
  readonly system: string | null;
  readonly database: number;
  /** The number of the table `store`; null before the first migration. */
  readonly tables: number | null;
  /** The number of the timeline; null on a standby, and on a server that does not tell it. */
  readonly timeline: number | null;
}

/** The codes of a function that the user may not call, or that the server does not offer. */
const UNTOLD = new Set(['42501', '42883', '0A000', '55000']);

/**
 * Reads where the store is now, by a session with any types of numbers. Not for a transaction, which a refused function
 * would end.
 */
export async function readServerIdentity(session: Session): Promise<ServerIdentity> {
  const here = await session.first(sql<Pick<ServerIdentity, 'database' | 'tables'>>`
    select oid::bigint::float8 as database, to_regclass('store')::oid::bigint::float8 as tables
    from pg_database where datname = current_database()`);
  const system = await readIfAllowed(
    session,
    sql<{ value: string }>`select system_identifier::text as value from pg_control_system()`,
  );
  // The control file shows a new timeline minutes after a promotion, the name of the log at once.
  const timeline = await readIfAllowed(
    session,
    sql<{
      value: number;
    }>`select ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint::float8 as value`,
  );
  return { system, database: here?.database ?? 0, tables: here?.tables ?? null, timeline };
}

async function readIfAllowed<T>(session: Session, query: Query<{ value: T }>): Promise<T | null> {
  try {
    return (await session.first(query))?.value ?? null;
  } catch (error) {
    if (UNTOLD.has(codeOf(error))) return null;
    throw error;
  }
}

/** Records where the store is, as the place in which it is known from now on. */
export async function recordServer(
  session: Session,
  { system, database, tables, timeline }: ServerIdentity,
  now: number,
): Promise<void> {
  await session.run(sql`
    insert into known_server (id, system, database, tables, timeline, recorded_at)
    values (1, ${system}::text::bigint, ${database}, ${tables}, ${timeline}, ${now})
    on conflict (id) do update set system = excluded.system, database = excluded.database, tables = excluded.tables,
      timeline = excluded.timeline, recorded_at = excluded.recorded_at`);
}

/**
 * Compares where the store is with where it was last known, and records it when nothing is known.
 *
 * @returns a sentence with the remedy when it is elsewhere; null when it is where it was
 */
export async function recogniseServer(session: Session, now: number): Promise<string | null> {
  const here = await readServerIdentity(session);
  const known = await readKnownServer(session);
  if (known === undefined) await recordServer(session, here, now);
  const difference = known === undefined ? null : differenceOf(known, here);
  return difference === null ? null : movedText(difference);
}

/**
 * Requires that two addresses lead to the same database, before one of them is migrated.
 *
 * @throws PortariaError `misconfigured` when PORTARIA_DATABASE_DIRECT names another database
 */
export async function requireSameDatabase(direct: Session, other: Session): Promise<void> {
  const difference = differenceOf(await readServerIdentity(other), await readServerIdentity(direct));
  if (difference === null) return;
  throw new PortariaError('misconfigured', 'The settings are not valid', {
    problems: [
      {
        where: 'PORTARIA_DATABASE_DIRECT',
        message: `must be the database of PORTARIA_DATABASE without a pooler; ${difference}`,
      },
    ],
  });
}

/** The check of `doctor`. A failover to a synchronous standby is ordinary, so it never fails. */
export async function historyCheck(session: Session): Promise<StoreCheck> {
  const name = 'history';
  const known = await readKnownServer(session);
  if (known === undefined)
    return { name, ok: true, detail: 'nothing is recorded yet: the next start of serve records this server' };
  const difference = differenceOf(known, await readServerIdentity(session));
  if (difference !== null) return { name, ok: true, warning: true, detail: movedText(difference) };
  return { name, ok: true, detail: 'this server is the one on which the store is known' };
}

function readKnownServer(session: Session): Promise<ServerIdentity | undefined> {
  return session.first(
    sql<ServerIdentity>`select system::text as system, database, tables, timeline from known_server`,
  );
}

/** A part that one of the two does not tell is no difference. */
function differenceOf(known: ServerIdentity, here: ServerIdentity): string | null {
  const differs = (part: keyof ServerIdentity) =>
    known[part] !== null && here[part] !== null && known[part] !== here[part];
  if (differs('system')) return 'it is in another cluster';
  if (differs('database')) return 'it is another database of the cluster';
  if (differs('tables')) return 'its tables were created anew';
  if (differs('timeline'))
    return `it is on timeline ${String(here.timeline)} instead of ${String(known.timeline)}`;
  return null;
}

function movedText(difference: string): string {
  return (
    `the database was restored, moved or has failed over since it was last known: ${difference}. If acknowledged events ` +
    'may be lost, stop every process and run `portaria store renew-id`, because their ids would be given to other events; ' +
    'if none can be, run `portaria store renew-id --keep-id`'
  );
}
