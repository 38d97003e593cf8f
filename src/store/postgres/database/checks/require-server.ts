/** What a start needs of the server and of the user. A store that lacks it would fail later, at a worse time. */
import { sql } from 'kysely';
import type pg from 'pg';
import { PortariaError, type ErrorCode, type Problem } from '../../../../kernel/errors.ts';
import type { Session } from '../../sql/session.ts';
import { arrayOf, ownSchema } from '../../sql/expressions.ts';
import { ownTables } from '../tables/migrations.ts';
import { CONNECTIONS } from '../connections/pools.ts';

/** PostgreSQL 14. */
export const MIN_VERSION = 140_000;

interface Server {
  readonly version: number;
  readonly shown: string;
  readonly encoding: string;
  readonly standby: boolean;
  readonly readOnly: boolean;
  readonly connections: number;
  readonly schema: string | null;
}

interface Failing extends Problem {
  readonly code: ErrorCode;
}

/**
 * @param location the address without its password
 * @param isPooled whether a pooler shares the connections of the server
 * @throws PortariaError `store-unsupported`, `store-read-only`, with every reason and its remedy
 */
export async function requireServer(
  session: Session,
  { location, isPooled }: { readonly location: string; readonly isPooled: boolean },
): Promise<void> {
  const server = await session.first(sql<Server>`
    select current_setting('server_version_num')::integer as version, current_setting('server_version') as shown,
      current_setting('server_encoding') as encoding, pg_is_in_recovery() as standby,
      current_setting('transaction_read_only')::boolean as "readOnly", current_schema()::text as schema,
      (select least(
        current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer,
        nullif(rolconnlimit, -1), nullif(datconnlimit, -1))
      from pg_roles, pg_database where rolname = current_user and datname = current_database()) as connections`);
  if (server !== undefined) refuse(location, failingOf(server, isPooled));
}

function failingOf(
  { version, shown, encoding, standby, readOnly, connections, schema }: Server,
  isPooled: boolean,
): readonly Failing[] {
  const code = 'store-unsupported';
  const failing: (Failing | false)[] = [
    version < MIN_VERSION && {
      code,
      where: 'version',
      message: `PostgreSQL ${shown} is too old: install 14 or later`,
    },
    encoding !== 'UTF8' && {
      code,
      where: 'encoding',
      message: `${encoding} does not hold all texts: create a database with the encoding UTF8`,
    },
    standby && {
      code: 'store-read-only',
      where: 'primary',
      message: 'this is a standby, which takes no writes: use the address of the primary',
    },
    !standby &&
      readOnly && {
        code: 'store-read-only',
        where: 'default_transaction_read_only',
        message: 'is on, and the database takes no writes: set it to off for this database and user',
      },
    schema === null && {
      code,
      where: 'search_path',
      message: 'names no schema that exists and that the user may use: create one, or grant usage on it',
    },
    !isPooled &&
      connections < CONNECTIONS && {
        code,
        where: 'connections',
        message:
          `PostgreSQL allows this user ${String(connections)}, and each process needs ${String(CONNECTIONS)}: raise ` +
          'max_connections or the limit of the user or database, or use a pooler and set PORTARIA_DATABASE_DIRECT',
      },
  ];
  return failing.filter((one) => one !== false);
}

/**
 * Whether a connection goes to the server itself. Poolers, in any mode, tell a client another number than that of the
 * server's process, because the two change.
 */
export async function isWithoutPooler(client: pg.ClientBase, session: Session): Promise<boolean> {
  const { processID: told } = client as pg.ClientBase & { readonly processID: number | null };
  const own = await session.first(sql<{ pid: number }>`select pg_backend_pid() as pid`);
  return own?.pid === told;
}

/** Why the server may lose commits when its machine fails, with the remedy; null when it does not. */
export async function dangerOf(session: Session): Promise<string | null> {
  const server = await session.first(sql<{ off: string[] }>`
    select array(
      select name from pg_settings where name in ('fsync', 'full_page_writes') and setting = 'off' order by name
    ) as off`);
  if (server === undefined || server.off.length === 0) return null;
  return (
    `PostgreSQL runs with ${server.off.map((name) => `${name} = off`).join(' and ')}: a failure of its machine may lose ` +
    'acknowledged events or damage the database. Turn it on, and restart PostgreSQL'
  );
}

/**
 * Migrations may have run as another user. Days are tables, which only the owner of their parent adds and drops.
 *
 * @throws PortariaError `store-read-only`
 */
export async function requireRights(session: Session, location: string): Promise<void> {
  const found = await session.first(sql<{
    user: string;
    schema: string;
    denied: string[];
    creates: boolean;
    owns: boolean;
  }>`
    select current_user::text as user, ${ownSchema}::regnamespace::text as schema,
      array(
        select relname::text from pg_class
        where oid = any(array(select to_regclass(name) from unnest(${arrayOf(ownTables, 'text')}) as name))
          and not (has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
            and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete'))
        order by relname
      ) as denied,
      has_schema_privilege(${ownSchema}, 'create') as creates,
      (select pg_has_role(relowner, 'usage') from pg_class where oid = 'event_contents'::regclass) as owns`);
  if (found === undefined) return;
  const { user, schema, denied, creates, owns } = found;
  const code = 'store-read-only';
  const failing: (Failing | false)[] = [
    denied.length > 0 && {
      code,
      where: 'tables',
      message:
        `the user ${user} may not read and write ${shortList(denied)}: make it the owner of the tables, or ` +
        `\`grant select, insert, update, delete on all tables in schema ${schema} to ${user}\``,
    },
    !creates && {
      code,
      where: `schema ${schema}`,
      message: `the user ${user} may not create tables, and each day is one: \`grant create on schema ${schema} to ${user}\``,
    },
    !owns && {
      code,
      where: 'event_contents',
      message: `only its owner adds and drops days: \`alter table event_contents owner to ${user}\`, and each of its partitions`,
    },
  ];
  refuse(
    location,
    failing.filter((one) => one !== false),
  );
}

function refuse(location: string, failing: readonly Failing[]): void {
  const [first] = failing;
  if (first === undefined) return;
  throw new PortariaError(first.code, `${location}: Portaria cannot use this database; nothing was changed`, {
    problems: failing.map(({ where, message }) => ({ where, message })),
  });
}

function shortList(names: readonly string[]): string {
  const more = names.length - 3;
  return more > 0 ? `${names.slice(0, 3).join(', ')} and ${String(more)} more` : names.join(', ');
}
