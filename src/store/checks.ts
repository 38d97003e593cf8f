/** The checks of `doctor` on a store: what each can find, as a code with values, and in English. */
import { countOf } from '../kernel/text/count.ts';
import { say, type Said, type Sentences } from '../kernel/text/sentences.ts';

/** The result of one check of `doctor`. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** Set when the check passed but the operator should act before it fails. */
  readonly warning?: true;
  /** The finding, and the remedy when not ok. */
  readonly detail: string;
}

/** A check of a store. */
export interface StoreCheck extends Check {
  /** The detail for those who say it in another language. */
  readonly finding: CheckFinding;
}

/** The findings in English. With `ok`, a sentence leaves out its remedy. */
export const checkFindings = {
  /** A value of a setting, or what the system or the database said. */
  verbatim: ({ text }: { text: string }) => text,
  'at-least': (is: { version: string; least: string }) => `${is.version} (at least ${is.least})`,
  level: (is: { level: number; known: number }) => `level ${String(is.level)} of ${String(is.known)}`,
  commit: ({ ms }: { ms: string }) => `a commit takes ${ms} ms`,
  owned: 'a process dispatches from this store',
  'not-owned': 'no process dispatches from this store',
  owners: ({ count }: { count: number }) =>
    `${countOf(count, 'process', 'processes')} ${count === 1 ? 'dispatches' : 'dispatch'} from this store`,

  'not-local': ({ mode }: { mode: string }) => `${mode}: put the file on a local file system`,
  'sqlite-durable': 'full: a commit is on the disk before it is acknowledged',
  'sqlite-not-durable': 'not full: acknowledged events can be lost in a power failure; restart the process',
  'in-memory': 'in memory: everything is lost when the process ends',
  log: (is: { mib: number; file: string; ok: boolean }) =>
    `${String(is.mib)} MiB wait for a checkpoint${is.ok ? '' : `: another process holds a long read transaction; find it with \`fuser ${is.file}\` and end it`}`,
  disk: (is: { mib: number; ok: boolean }) => `${String(is.mib)} MiB free${is.ok ? '' : ': make room'}`,
  reserve: ({ state }: { state: 'whole' | 'none' | 'given-up' }) =>
    ({
      whole: 'room is kept for what frees room on a full disk',
      none: 'no room is kept for a full disk: the disk is small, or serve has not run with room on it',
      'given-up':
        'the disk was full, and senders get 503 until the reserve of up to 4 MiB fits again: make room',
    })[state],

  reached: (is: { location: string; ms: string }) => `${is.location} responds in ${is.ms} ms`,
  'old-server': ({ version }: { version: string }) => `${version}: install PostgreSQL 14 or later`,
  encoding: ({ encoding }: { encoding: string }) =>
    `${encoding}: create a database with the encoding UTF8, and copy the store into it`,
  'late-commits':
    'off: events acknowledged in the last second can be lost when PostgreSQL stops; set synchronous_commit = on',
  'safe-commits': ({ value }: { value: string }) =>
    `${value}: a commit is on the disk before it is acknowledged`,
  'fsync-off': 'off: a power failure can lose acknowledged events and damage the database; set fsync = on',
  'full-pages-off':
    'off: a power failure can damage pages, unless the disk writes them whole; set full_page_writes = on',
  'older-level': (is: { level: number; known: number }) =>
    `level ${String(is.level)}, and this version has level ${String(is.known)}: start serve, which migrates`,
  'newer-level': (is: { level: number; known: number; ok: boolean }) =>
    `level ${String(is.level)}, of a newer version; this version has level ${String(is.known)}${is.ok ? ', and works with it' : ': run that version or a later one'}`,
  standby: 'this is a standby: use the address of the primary',
  clock: (is: { ahead: number; state: 'right' | 'followed' | 'wrong' }) =>
    clockDifference(is.ahead) +
    { right: '', followed: `; ${CLOCK_FOLLOWED}`, wrong: ': synchronize both machines by NTP' }[is.state],
  pooler:
    'a pooler stands before PostgreSQL, so processes get no notifications and poll: set PORTARIA_DATABASE_DIRECT to the address of the database without the pooler',

  connections: (is: { used: number; most: number; ok: boolean }) =>
    `${String(is.used)} of ${String(is.most)} are used${is.ok ? '' : ': set a larger max_connections, or use a pooler'}`,
  'transaction-ids': (is: { millions: string; ok: boolean }) =>
    `the oldest number of a transaction is ${is.millions} million old${is.ok ? '' : ': PostgreSQL takes no writes at 2,100 million: find out why autovacuum does not end, and run `vacuum freeze`'}`,
  'no-transaction': ({ hidden }: { hidden: boolean }) =>
    `none besides this one${hidden ? OTHERS_HIDDEN : ''}`,
  transaction: (is: { minutes: number; hidden: boolean }) =>
    `the oldest is ${String(is.minutes)} minutes old${is.hidden ? OTHERS_HIDDEN : ''}`,
  'old-transaction': (is: { minutes: number; name: string }) =>
    `the oldest is ${String(is.minutes)} minutes old: ${is.name} keeps removed rows from being vacuumed; end it`,
  vacuumed: 'autovacuum keeps up',
  'removed-rows': (is: { table: string; removed: number; rows: number }) =>
    `${is.table} has ${String(is.removed)} removed rows beside ${String(is.rows)}: autovacuum is off or too slow; run \`vacuum ${is.table}\`, and raise autovacuum_vacuum_cost_limit`,
  indexes: 'none is much larger than its rows',
  'large-index': (is: { index: string; mib: number; rows: number }) =>
    `${is.index} has ${String(is.mib)} MiB for ${String(is.rows)} rows: run \`reindex index concurrently ${is.index}\``,
  'no-standbys': 'none: only a backup survives the loss of the disk',
  standbys: ({ count }: { count: number }) => `${String(count)}; grant pg_monitor to see how far they are`,
  'standby-lacks': (is: { standby: string; mode: string; mib: number; state: 'safe' | 'unsafe' | 'far' }) =>
    `${is.standby} (${is.mode}) lacks ${String(is.mib)} MiB of the log` +
    {
      safe: '',
      unsafe:
        '; none is synchronous, so a failover loses the last commits; synchronous_standby_names prevents that',
      far: ': it would lose them in a failover; look at its network and disk',
    }[is.state],
  'no-feedback': 'none: there are no standbys',
  feedback: ({ millions }: { millions: string }) =>
    `standbys keep the removed rows of ${millions} million transactions`,
  'hidden-feedback': 'grant pg_monitor to see what standbys keep from being vacuumed',
  'old-feedback': (is: { standby: string; millions: string }) =>
    `${is.standby} keeps removed rows of ${is.millions} million transactions from being vacuumed: end the old query there, or switch off hot_standby_feedback`,
  slots: ({ count }: { count: number }) => (count === 0 ? 'none' : `${String(count)}, all in use`),
  'idle-slot': (is: { slot: string; mib: number }) =>
    `${is.slot} is not in use and keeps ${String(is.mib)} MiB of the log: ${slotRemedy(is)}`,
  'lost-slot': (is: { slot: string }) =>
    `${is.slot} keeps more of the log than max_slot_wal_keep_size, so its standby may have to be copied again: ${slotRemedy(is)}`,
  'old-slot': (is: { slot: string; active: boolean; millions: string }) =>
    `${is.slot} keeps removed rows of ${is.millions} million transactions from being vacuumed: ${slotRemedy(is)}`,
  'large-slot': (is: { slot: string; active: boolean; mib: number }) =>
    `${is.slot} keeps ${String(is.mib)} MiB of the log, until the disk is full: ${slotRemedy(is)}`,

  'unknown-server': 'nothing is recorded yet: the next start of serve records this server',
  'other-server': 'this server is not the one on which the store is known',
  'known-server': ({ untold }: { untold: readonly ('identifier' | 'timeline')[] }) =>
    `this server is the one on which the store is known${untold.length === 0 ? '' : `; it does not tell its ${untold.join(' and its ')}`}`,
} satisfies Sentences;

export type CheckFinding = Said<typeof checkFindings>;

/** @param result whether it passed; `warning` when the operator should act before it fails */
export function checked(name: string, result: boolean | 'warning', finding: CheckFinding): StoreCheck {
  const warning = result === 'warning' && ({ warning: true } as const);
  return { name, ok: result !== false, ...warning, detail: say(checkFindings, finding), finding };
}

const OTHERS_HIDDEN = '; grant pg_monitor to see those of other users';

function slotRemedy({ slot, active = false }: { readonly slot: string; readonly active?: boolean }): string {
  return active
    ? 'look at the standby or the program that uses it'
    : `start what uses it, or run \`select pg_drop_replication_slot('${slot}')\``;
}

const CLOCK_FOLLOWED = "this process goes by PostgreSQL's clock; synchronize both machines by NTP";

/** @param ahead milliseconds by which the machine's own clock is ahead of the database's */
function clockDifference(ahead: number): string {
  const seconds = (Math.abs(ahead) / 1000).toFixed(1);
  return `this machine's clock is ${seconds} s ${ahead < 0 ? 'behind' : 'ahead of'} PostgreSQL's`;
}
