/** Notices that the database was restored, moved or has failed over since the store was last known. */
import { sql } from 'kysely';
import { PortariaError } from '../../../../kernel/errors.ts';
import { differenceText, SERVER_MOVE_REMEDY, serverMoveText, type ServerMove } from '../../../monitoring.ts';
import { checked, type StoreCheck } from '../../../checks.ts';
import { codeOf } from '../../../shared/error-meaning.ts';
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
 *
 * @param known leaves out what it does not tell: a server that refuses a function logs each refusal
 */
export async function readServerIdentity(session: Session, known?: ServerIdentity): Promise<ServerIdentity> {
  const here = await session.first(sql<Pick<ServerIdentity, 'database' | 'tables'>>`
    select oid::bigint::float8 as database, to_regclass('store')::oid::bigint::float8 as tables
    from pg_database where datname = current_database()`);
  const system =
    known?.system === null
      ? null
      : await readIfAllowed(
          session,
          sql<{ value: string }>`select system_identifier::text as value from pg_control_system()`,
        );
  // The control file shows a new timeline minutes after a promotion, the name of the log at once.
  const timeline =
    known?.timeline === null
      ? null
      : await readIfAllowed(
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
  const known = await readKnownServer(session);
  if (known === undefined) await recordServer(session, await readServerIdentity(session), now);
  const move = known === undefined ? null : await moveFrom(known, session);
  return move === null ? null : `${serverMoveText(move)}; ${SERVER_MOVE_REMEDY}`;
}

/**
 * Requires that two addresses lead to the same database, before one of them is migrated.
 *
 * @throws PortariaError `misconfigured` when PORTARIA_DATABASE_DIRECT names another database
 */
export async function requireSameDatabase(direct: Session, other: Session): Promise<void> {
  const difference = await moveFrom(await readServerIdentity(other), direct);
  if (difference === null) return;
  throw new PortariaError('misconfigured', 'The settings are not valid', {
    problems: [
      {
        where: 'PORTARIA_DATABASE_DIRECT',
        message: `must be the database of PORTARIA_DATABASE without a pooler; ${differenceText(difference)}`,
      },
    ],
  });
}

/** Compares where the store is with where it was last known; null when it is where it was, or nothing is known. */
export async function readServerMove(session: Session): Promise<ServerMove | null> {
  const known = await readKnownServer(session);
  return known === undefined ? null : moveFrom(known, session);
}

/** The check of `doctor`, which needs attention for a move: that is a problem like others. */
export async function historyCheck(session: Session): Promise<StoreCheck> {
  const known = await readKnownServer(session);
  if (known === undefined) return checked('history', true, { code: 'unknown-server' });
  if ((await moveFrom(known, session)) !== null)
    return checked('history', 'warning', { code: 'other-server' });
  // What a failover could not be recognized by.
  const untold = [
    ...(known.system === null ? (['identifier'] as const) : []),
    ...(known.timeline === null ? (['timeline'] as const) : []),
  ];
  return checked('history', true, { code: 'known-server', untold });
}

function readKnownServer(session: Session): Promise<ServerIdentity | undefined> {
  return session.first(
    sql<ServerIdentity>`
      select system::text as system, database::float8 as database, tables::float8 as tables,
        timeline::float8 as timeline
      from known_server`,
  );
}

/** A part that one of the two does not tell is no difference. */
async function moveFrom(known: ServerIdentity, session: Session): Promise<ServerMove | null> {
  const here = await readServerIdentity(session, known);
  const differs = (part: keyof ServerIdentity) =>
    known[part] !== null && here[part] !== null && known[part] !== here[part];
  if (differs('system')) return { differs: 'cluster' };
  if (differs('database')) return { differs: 'database' };
  if (differs('tables')) return { differs: 'tables' };
  if (known.timeline !== null && here.timeline !== null && differs('timeline'))
    return { differs: 'timeline', known: known.timeline, here: here.timeline };
  return null;
}
