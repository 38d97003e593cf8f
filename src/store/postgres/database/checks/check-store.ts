/** All checks of `doctor` on a store in PostgreSQL. */
import { sql } from 'kysely';
import { countOf } from '../../../../kernel/text/count.ts';
import type { StoreCheck } from '../../../store.ts';
import type { Connection } from '../../sql/connection.ts';
import { isFollowing } from '../../../../kernel/time/following-clock.ts';
import { clusterChecks } from './check-cluster.ts';
import { CONSEQUENCE, databaseTime, differenceText } from '../connections/database-clock.ts';
import { WITHOUT_DIRECT } from '../connections/pooler.ts';
import { integrityChecks } from './check-integrity.ts';
import { historyCheck } from '../identity/known-server.ts';
import { newestLevel } from '../tables/migrations.ts';
import { MIN_VERSION } from './require-server.ts';
import { readSchemaLevel } from '../tables/schema-level.ts';

/** The difference of two clocks that is no finding, in milliseconds. */
const MAX_CLOCK_DIFFERENCE_MS = 5_000;

/** What the checks are made of. */
export interface CheckedStore extends Pick<Connection, 'read' | 'transact' | 'clock'> {
  /** The address without its password. */
  readonly location: string;
  /** Whether notifications arrive: there is an address without a pooler. */
  readonly isListening: boolean;
}

/** Runs the checks of `doctor`. Without a connection, it says that alone. */
export async function checkStore(
  store: CheckedStore,
  { integrity = true }: { readonly integrity?: boolean } = {},
): Promise<readonly StoreCheck[]> {
  const reached = await reachingCheck(store);
  if (!reached.ok) return [reached];
  const settings = await readSettings(store);
  return [
    reached,
    versionCheck(settings),
    encodingCheck(settings),
    ...durabilityChecks(settings),
    await schemaCheck(store),
    ...(integrity ? await integrityChecks(store.read) : []),
    await writingCheck(store, settings),
    await clockCheck(store),
    await ownersCheck(store),
    await historyCheck(store.read),
    ...(store.isListening ? [] : [poolerCheck]),
    ...(await clusterChecks(store.read)),
  ];
}

const poolerCheck: StoreCheck = { name: 'pooler', ok: true, warning: true, detail: WITHOUT_DIRECT };

interface Settings {
  readonly version: number;
  readonly shown: string;
  readonly encoding: string;
  readonly fsync: string;
  readonly synchronous: string;
  readonly fullPages: string;
  readonly standby: boolean;
}

async function readSettings({ read }: CheckedStore): Promise<Settings> {
  const row = await read.first(sql<Settings>`
    select current_setting('server_version_num')::integer as version, current_setting('server_version') as shown,
      current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as synchronous, current_setting('full_page_writes') as "fullPages",
      pg_is_in_recovery() as standby`);
  if (row === undefined) throw new Error('PostgreSQL returned no settings');
  return row;
}

async function reachingCheck({ read, clock, location }: CheckedStore): Promise<StoreCheck> {
  const start = clock.monotonic();
  try {
    await read.first(sql`select 1`);
  } catch (error) {
    return { name: 'postgresql', ok: false, detail: `${location}: ${messageOf(error)}` };
  }
  const ms = (clock.monotonic() - start).toFixed(1);
  return { name: 'postgresql', ok: true, detail: `${location} responds in ${ms} ms` };
}

function versionCheck({ version, shown }: Settings): StoreCheck {
  const ok = version >= MIN_VERSION;
  return {
    name: 'version',
    ok,
    detail: ok ? `${shown} (at least 14)` : `${shown}: install PostgreSQL 14 or later`,
  };
}

function encodingCheck({ encoding }: Settings): StoreCheck {
  const ok = encoding === 'UTF8';
  const remedy = 'create a database with the encoding UTF8, and copy the store into it';
  return { name: 'encoding', ok, detail: ok ? encoding : `${encoding}: ${remedy}` };
}

/** `local` waits for this server's disk, which is what is promised; the others wait for standbys, too. */
function durabilityChecks({ synchronous, fsync, fullPages }: Settings): readonly StoreCheck[] {
  return [
    {
      name: 'synchronous_commit',
      ok: synchronous !== 'off',
      detail:
        synchronous === 'off'
          ? 'off: events acknowledged in the last second can be lost when PostgreSQL stops; set synchronous_commit = on'
          : `${synchronous}: a commit is on the disk before it is acknowledged`,
    },
    {
      name: 'fsync',
      ok: fsync === 'on',
      detail:
        fsync === 'on'
          ? 'on'
          : 'off: a power failure can lose acknowledged events and damage the database; set fsync = on',
    },
    {
      name: 'full_page_writes',
      ok: fullPages === 'on',
      detail:
        fullPages === 'on'
          ? 'on'
          : 'off: a power failure can damage pages, unless the disk writes them whole; set full_page_writes = on',
    },
  ];
}

/** A newer version may have added to the tables: see the migrations. */
async function schemaCheck({ read }: CheckedStore): Promise<StoreCheck> {
  const { level, worksWith } = await readSchemaLevel(read);
  const name = 'schema';
  const found = `level ${String(level)}`;
  if (level === newestLevel) return { name, ok: true, detail: found };
  const own = `this version has level ${String(newestLevel)}`;
  if (level < newestLevel)
    return { name, ok: false, detail: `${found}, and ${own}: start serve, which migrates` };
  const ok = worksWith <= newestLevel;
  const newer = `${found}, of a newer version; ${own}`;
  return {
    name,
    ok,
    detail: ok ? `${newer}, and works with it` : `${newer}: run that version or a later one`,
  };
}

/** Measures one commit. */
async function writingCheck({ transact, clock }: CheckedStore, { standby }: Settings): Promise<StoreCheck> {
  const start = clock.monotonic();
  try {
    await transact(({ session }) => session.run(sql`update store set created_at = created_at`));
  } catch (error) {
    const detail = standby ? 'this is a standby: use the address of the primary' : messageOf(error);
    return { name: 'writing', ok: false, detail };
  }
  const ms = (clock.monotonic() - start).toFixed(1);
  return { name: 'writing', ok: true, detail: `a commit takes ${ms} ms` };
}

/** The difference harms only a process that has a clock of its own. */
async function clockCheck({ read, clock }: CheckedStore): Promise<StoreCheck> {
  const follows = isFollowing(clock);
  const machine = follows ? clock.machine : clock;
  const before = machine.now();
  const row = await read.first(sql<{ time: number }>`select ${databaseTime} as time`);
  const here = (before + machine.now()) / 2;
  const difference = here - (row?.time ?? here);
  const detail = differenceText(difference);
  const name = 'clock';
  if (Math.abs(difference) <= MAX_CLOCK_DIFFERENCE_MS) return { name, ok: true, detail };
  if (follows) return { name, ok: true, warning: true, detail: `${detail}; ${CONSEQUENCE}` };
  return { name, ok: false, detail: `${detail}: synchronize both machines by NTP` };
}

async function ownersCheck({ read }: CheckedStore): Promise<StoreCheck> {
  const row = await read.first(sql<{ owners: number }>`select count(*) as owners from leases`);
  const owners = row?.owners ?? 0;
  const detail =
    owners === 0
      ? 'no process dispatches from this store'
      : `${countOf(owners, 'process', 'processes')} ${owners === 1 ? 'dispatches' : 'dispatch'} from this store`;
  return { name: 'owners', ok: true, detail };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
