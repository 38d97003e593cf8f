/** All checks of `doctor` on a store in PostgreSQL. */
import { sql } from 'kysely';
import { checked, type StoreCheck } from '../../../checks.ts';
import type { Connection } from '../../sql/connection.ts';
import type { Clock } from '../../../../kernel/time/clock.ts';
import { isFollowing } from '../../../../kernel/time/following-clock.ts';
import { clusterChecks } from './check-cluster.ts';
import { databaseTime } from '../connections/database-clock.ts';
import { isLive } from '../connections/lease.ts';
import { integrityChecks } from './check-integrity.ts';
import { historyCheck } from '../identity/known-server.ts';
import { newestLevel } from '../tables/migrations.ts';
import { MIN_VERSION } from './require-server.ts';
import { readSchemaLevel } from '../tables/schema-level.ts';

/** The difference of two clocks that is no finding, in milliseconds. */
const MAX_CLOCK_DIFFERENCE_MS = 5_000;

/** What the checks are made of. */
export interface CheckedStore extends Pick<Connection, 'read' | 'clock'> {
  /** Stores a made-up webhook, and undoes it. */
  readonly tryAccepting: () => Promise<void>;
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
    ...(store.isListening ? [] : [checked('pooler', 'warning', { code: 'pooler' })]),
    ...(await clusterChecks(store.read)),
  ];
}

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
    return checked('postgresql', false, { code: 'verbatim', text: `${location}: ${messageOf(error)}` });
  }
  return checked('postgresql', true, { code: 'reached', location, ms: since(start, clock) });
}

function versionCheck({ version, shown }: Settings): StoreCheck {
  return version >= MIN_VERSION
    ? checked('version', true, { code: 'at-least', version: shown, least: '14' })
    : checked('version', false, { code: 'old-server', version: shown });
}

function encodingCheck({ encoding }: Settings): StoreCheck {
  return encoding === 'UTF8'
    ? checked('encoding', true, { code: 'verbatim', text: encoding })
    : checked('encoding', false, { code: 'encoding', encoding });
}

/** `local` waits for this server's disk, which is what is promised; the others wait for standbys, too. */
function durabilityChecks({ synchronous, fsync, fullPages }: Settings): readonly StoreCheck[] {
  const on = { code: 'verbatim', text: 'on' } as const;
  return [
    synchronous === 'off'
      ? checked('synchronous_commit', false, { code: 'late-commits' })
      : checked('synchronous_commit', true, { code: 'safe-commits', value: synchronous }),
    checked('fsync', fsync === 'on', fsync === 'on' ? on : { code: 'fsync-off' }),
    checked('full_page_writes', fullPages === 'on', fullPages === 'on' ? on : { code: 'full-pages-off' }),
  ];
}

/** A newer version may have added to the tables: see the migrations. */
async function schemaCheck({ read }: CheckedStore): Promise<StoreCheck> {
  const { level, worksWith } = await readSchemaLevel(read);
  const known = newestLevel;
  if (level === known) return checked('schema', true, { code: 'level', level, known });
  if (level < known) return checked('schema', false, { code: 'older-level', level, known });
  const ok = worksWith <= known;
  return checked('schema', ok, { code: 'newer-level', level, known, ok });
}

/** Measures one commit, with all that storing a webhook takes. */
async function writingCheck(
  { tryAccepting, clock }: CheckedStore,
  { standby }: Settings,
): Promise<StoreCheck> {
  const start = clock.monotonic();
  try {
    await tryAccepting();
  } catch (error) {
    if (standby) return checked('writing', false, { code: 'standby' });
    return checked('writing', false, { code: 'verbatim', text: messageOf(error) });
  }
  return checked('writing', true, { code: 'commit', ms: since(start, clock) });
}

/** The difference harms only a process that has a clock of its own. */
async function clockCheck({ read, clock }: CheckedStore): Promise<StoreCheck> {
  const follows = isFollowing(clock);
  const machine = follows ? clock.machine : clock;
  const before = machine.now();
  const row = await read.first(sql<{ time: number }>`select ${databaseTime} as time`);
  const here = (before + machine.now()) / 2;
  const ahead = here - (row?.time ?? here);
  const finding = { code: 'clock', ahead } as const;
  if (Math.abs(ahead) <= MAX_CLOCK_DIFFERENCE_MS)
    return checked('clock', true, { ...finding, state: 'right' });
  return follows
    ? checked('clock', 'warning', { ...finding, state: 'followed' })
    : checked('clock', false, { ...finding, state: 'wrong' });
}

async function ownersCheck({ read }: CheckedStore): Promise<StoreCheck> {
  const row = await read.first(
    sql<{ owners: number }>`select count(*) as owners from leases where ${isLive}`,
  );
  const count = row?.owners ?? 0;
  return checked('owners', true, count === 0 ? { code: 'not-owned' } : { code: 'owners', count });
}

/** Milliseconds since an instant of the same clock. */
function since(start: number, clock: Clock): string {
  return (clock.monotonic() - start).toFixed(1);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
