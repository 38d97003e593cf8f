import pg from 'pg';
import { inject } from 'vitest';
import { seededRandom } from '../../src/kernel/random.ts';
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts';
import type { StoreKind, StorePlace } from '../conformance/store-place.ts';

/** A database of places. */
interface Kept {
  readonly name: string;
  /** Empties it. It stays open, because a new session costs more than emptying all tables. */
  session: pg.Client | undefined;
}

/** Databases that a test has left, emptied: creating one takes longer than most tests. */
const free: Kept[] = [];
let created = 0;

export const postgres: StoreKind = {
  name: 'PostgreSQL',
  durable: true,
  shared: true,
  failingChecks: ['fsync', 'full_page_writes', 'clock'],
  place: async () => placeIn(free.pop() ?? { name: await createDatabase(), session: undefined }),
};

function placeIn(database: Kept): StorePlace {
  const url = urlOf(database.name);
  return {
    open: (role, clock, limits) =>
      openPostgresStore({ url, role, clock, random: seededRandom(1), ...limits }),
    async afterPowerFailure() {
      await database.session?.end();
      await run('postgres', 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
        database.name,
      ]);
      const copy = await createDatabase(database.name);
      // The time passes after which its processes have no lease any more.
      await run(copy, 'delete from leases');
      return placeIn({ name: copy, session: undefined });
    },
    async remove() {
      await empty(database);
      free.push(database);
    },
  };
}

async function empty(database: Kept): Promise<void> {
  database.session ??= await openSession(database);
  await database.session.query(emptied);
}

async function openSession(database: Kept): Promise<pg.Client> {
  const session = await connect(database.name);
  // Tests end the sessions of their database.
  session.once('end', () => (database.session = undefined));
  return session;
}

/** Creates an empty database that is the caller's own, and returns its address. */
export async function emptyDatabase(): Promise<string> {
  return urlOf(await createDatabase());
}

async function createDatabase(template = 'template0'): Promise<string> {
  created += 1;
  const name = `portaria_${String(process.pid)}_${String(created)}`;
  // PostgreSQL 14 copies files anyway.
  const [version] = await run('postgres', 'show server_version_num');
  const strategy = Number(version?.['server_version_num']) < 150_000 ? '' : 'strategy file_copy';
  await run('postgres', `create database ${name} template ${template} ${strategy}`);
  return name;
}

async function run(
  database: string,
  text: string,
  parameters: readonly unknown[] = [],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = await connect(database);
  try {
    const { rows } = await client.query<Record<string, unknown>>(
      text,
      parameters.length === 0 ? undefined : [...parameters],
    );
    return rows;
  } finally {
    await client.end();
  }
}

async function connect(database: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: urlOf(database), application_name: 'tests' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

function urlOf(database: string): string {
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${database}`;
  return url.href;
}

/** Drops days, empties all tables but those of the schema's level, and numbers rows from 1 again. */
const emptied = `
do $$
declare found record;
begin
  if to_regclass('migrations') is null then return; end if;
  set local session_replication_role = replica;
  for found in select relname from pg_inherits join pg_class on oid = inhrelid
    where inhparent = 'event_contents'::regclass
  loop
    execute format('drop table %I', found.relname);
  end loop;
  for found in
    select relname from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relname <> 'migrations'
      and not relispartition
  loop
    execute format('delete from %I', found.relname);
  end loop;
  for found in select relname from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'S' loop
    perform setval(found.relname::regclass, 1, false);
  end loop;
  insert into counted_events values (1, 0);
  insert into retention (id) values (1);
  insert into audit_start values (1, 0, decode(repeat('00', 32), 'hex'));
  insert into pause_changes values (1, 0);
end
$$`;
