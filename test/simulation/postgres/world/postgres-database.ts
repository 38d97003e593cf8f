/** The database of a world in PostgreSQL: emptied for each story, and with the time of the world. */
import { threadId } from 'node:worker_threads';
import pg from 'pg';
import { openPostgresStore } from '../../../../src/store/postgres/open-postgres-store.ts';
import { systemClock } from '../../../../src/kernel/time/clock.ts';
import type { Database } from '../../world/database.ts';
import type { Network } from '../network/network.ts';
import { connectServer, type Server } from '../server/server.ts';
import { openPostgresRows, type EventNumbers } from './postgres-rows.ts';
import { running, SimulatedProcess } from './simulated-process.ts';

/** What PostgreSQL would take from its machine. A sequence is the clock: no transaction hides or returns its value. */
const clock = `
create schema simulation;
create sequence simulation.clock;
create function simulation.clock_timestamp() returns timestamptz language sql volatile
  as $$ select pg_catalog.to_timestamp(last_value / 1000.0) from simulation.clock $$;
select setval('simulation.clock', 1772323200000)`;

const settings = [
  `search_path = public, simulation, pg_catalog`,
  `deadlock_timeout = '5ms'`,
  `jit = off`,
  `synchronous_commit = on`,
];

/** Creates the database for all stories of this process, with the tables of an empty store. */
async function createSimulationDatabase(url: string): Promise<string> {
  const name = `simulation_${String(process.pid)}_${String(threadId)}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`drop database if exists ${name} with (force)`);
  await admin.query(`create database ${name} template template0 strategy file_copy`);
  for (const setting of settings) await admin.query(`alter database ${name} set ${setting}`);
  await admin.end();
  const own = new URL(url);
  own.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: own.href });
  await client.connect();
  await client.query(clock);
  await client.end();
  // Migrates: the first story is as any other one.
  await (await openPostgresStore({ url: own.href, role: 'guest', clock: systemClock })).close();
  return own.href;
}

/** Connects to a new database of a server. @param url as a superuser */
export async function openSimulationServer(url: string): Promise<Server & { readonly url: string }> {
  const own = await createSimulationDatabase(url);
  return { ...connectServer(own), url: own };
}

/** Drops days, empties all tables but those of the schema's level, and numbers rows from 1 again. */
const emptied = `
do $$
declare found record;
begin
  if to_regclass('public.migrations') is null then return; end if;
  for found in select relname from pg_inherits join pg_class on oid = inhrelid
    where inhparent = 'public.event_contents'::regclass
  loop
    execute format('drop table public.%I', found.relname);
  end loop;
  set local session_replication_role = replica;
  execute (
    select format('truncate %s restart identity', string_agg(format('public.%I', relname), ', '))
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'migrations'
  );
  insert into counted_events values (1, 0);
  insert into retention (id) values (1);
  insert into audit_start values (1, 0, decode(repeat('00', 32), 'hex'));
  insert into pause_changes values (1, 0);
end
$$`;

export function openPostgresDatabase(
  { server, network, url }: { readonly server: Server; readonly network: Network; readonly url: string },
  numbers: EventNumbers,
): Database {
  server.ask({ do: 'ask', text: emptied, values: [] });
  return {
    rows: openPostgresRows(server, numbers),
    address: url,
    disk: {
      plan: () => undefined,
      heal() {
        network.faults.heal();
      },
      get isFaulty() {
        return network.faults.areAny;
      },
      failures: 0,
      get commits() {
        return 0;
      },
    },
    openGuest: (time) =>
      running.run(new SimulatedProcess(0, []), () => openPostgresStore({ url, role: 'guest', clock: time })),
    close: () => undefined,
  };
}
