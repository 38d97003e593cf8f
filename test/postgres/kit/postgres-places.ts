import type pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { askedVersion } from '../../../scripts/postgres/programs.mjs';
import { seededRandom } from '../../../src/kernel/random.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import type { StoreKind, StorePlace } from '../../conformance/store-place.ts';
import { connect, createDatabase, run, urlOf } from './empty-database.ts';
import { keepSessions } from './kept-sessions.ts';

/** A database of places. */
interface Kept {
  readonly name: string;
  /** Empties it. It stays open, because a new session costs more than emptying all tables. */
  session: pg.Client | undefined;
  /** Whether its tables are there, with the trigger that makes leases last. */
  hasLongLeases: boolean;
}

/** Databases that a test has left, emptied: creating one takes longer than most tests. */
const free: Kept[] = [];

/** Stores whose sessions with the server are those that an earlier test has left, which saves most of the time. */
export const postgres = placesOf(pooledUrlOf, free);

/** For tests of the sessions themselves, such as their ends, numbers and names. */
export const postgresWithOwnSessions = placesOf(async (name) => urlOf(name), []);

/** Returns the address of a database for a new store, with empty tables or with none yet; emptied when the test ends. */
export async function databaseOfStore(): Promise<string> {
  const database = free.pop() ?? (await newDatabase());
  if (database.hasLongLeases) await run(database.name, 'drop trigger heartbeat_lasts on leases');
  database.hasLongLeases = false;
  onTestFinished(() => leave(database, free));
  return pooledUrlOf(database.name);
}

/** Returns the address of a copy of a database: what a restore of a backup makes. Dropped when the test ends. */
export async function copyOfDatabase(url: string): Promise<string> {
  const original = new URL(url).pathname.slice(1);
  await endSessions(original);
  const name = await createDatabase(original);
  onTestFinished(() => run('postgres', `drop database ${name} with (force)`));
  return pooledUrlOf(name);
}

async function endSessions(database: string): Promise<void> {
  await run('postgres', 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
    database,
  ]);
}

/** @param left databases that earlier tests have left */
function placesOf(urlOfStore: (name: string) => Promise<string>, left: Kept[]): StoreKind {
  function placeIn(database: Kept): StorePlace {
    return {
      async open(role, clock, limits) {
        const store = await openPostgresStore({
          ...{ url: await urlOfStore(database.name), role, clock },
          ...{ random: seededRandom(1), ...limits },
        });
        database.session ??= await openSession(database);
        if (!database.hasLongLeases) await database.session.query(leasesThatLast);
        database.hasLongLeases = true;
        return store;
      },
      async afterPowerFailure() {
        await database.session?.end();
        await endSessions(database.name);
        const copy = await createDatabase(database.name);
        // The time passes after which its processes have no lease any more.
        await run(copy, 'delete from leases');
        return placeIn({ name: copy, session: undefined, hasLongLeases: true });
      },
      remove: () => leave(database, left),
    };
  }

  return {
    name: 'PostgreSQL',
    shared: true,
    failingChecks: ['fsync', 'full_page_writes', 'clock'],
    place: async () => placeIn(left.pop() ?? (await newDatabase())),
  };
}

async function newDatabase(): Promise<Kept> {
  return { name: await createDatabase(), session: undefined, hasLongLeases: false };
}

/** Empties a database for the next test. */
async function leave(database: Kept, left: Kept[]): Promise<void> {
  database.session ??= await openSession(database);
  await database.session.query(emptied);
  left.push(database);
}

async function openSession(database: Kept): Promise<pg.Client> {
  const session = await connect(database.name);
  // Tests end the sessions of their database.
  session.once('end', () => (database.session = undefined));
  return session;
}

/**
 * A process with a manual clock has no heartbeats, and a busy machine may take longer for a test than a lease lasts:
 * by the database's clock it lasts an hour more.
 */
const leasesThatLast = `
create or replace function heartbeat_lasts() returns trigger language plpgsql
  as 'begin new.seen_at := new.seen_at + interval ''1 hour''; return new; end';
create or replace trigger heartbeat_lasts before insert or update on leases
  for each row execute function heartbeat_lasts();
update leases set seen_at = clock_timestamp() where seen_at < clock_timestamp()`;

let pool: Promise<number> | undefined;

async function pooledUrlOf(name: string): Promise<string> {
  // With a server that is given, sessions may be encrypted.
  if (process.env['PORTARIA_TEST_POSTGRES'] !== undefined && askedVersion() === undefined) return urlOf(name);
  pool ??= keepSessions(new URL(inject('postgresUrl')));
  const url = new URL(urlOf(name));
  url.port = String(await pool);
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
