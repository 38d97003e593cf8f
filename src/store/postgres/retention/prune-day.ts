/** Prunes a whole day of bodies and headers by emptying its partition. */
import { sql, type RawBuilder } from 'kysely';
import { DAY_MS } from '../../../kernel/time/durations.ts';
import type { PrunedDay, PruneDay } from '../../retention.ts';
import { idleEvents } from '../../shared/retention/prune-pages.ts';
import { isLockTimeout } from '../database/connections/store-error.ts';
import { dayPartitions, type DayPartition } from '../events/content-days.ts';
import { machineNames } from '../../shared/machines/machine-reads.ts';
import { eventsCompleteThrough } from '../events/insert-events.ts';
import type { Connection } from '../sql/connection.ts';
import { arrayOf } from '../sql/expressions.ts';
import { unfinishedOfEvent } from '../../shared/deliveries/delivery-conditions.ts';
import type { Session } from '../sql/session.ts';
import { REMOVE_CONTENTS } from '../sql/advisory-locks.ts';
import { countPruned } from '../../shared/retention/prune-rows.ts';
import { foldsOf, handlersOf } from '../../shared/retention/folding-machines.ts';
import { postgresDialect } from '../sql/dialect.ts';
import { perform } from '../sql/perform.ts';
import { oldEvents } from './prunable-events.ts';
import { removeAttempts } from './prune-events.ts';

/** How long emptying waits for a lock, in milliseconds. Readers of the day, replays and holds wait behind it. */
const LOCK_WAIT_MS = 100;

/** Events that one step looks at. */
const STEP_EVENTS = 2_500;

/** The most events that may stay, which are written anew, and the most of all events of the day. */
const MAX_KEPT = 20_000;
const MAX_KEPT_SHARE = 0.1;

type Deps = Pick<Connection, 'read' | 'transact'>;

/** A day with its events, as it was before its events were read. */
interface Day extends DayPartition {
  readonly number: number;
  readonly events: number;
  /** The lowest and the highest number of an event. */
  readonly first: number;
  readonly last: number;
  /** The number of the latest machine state, before the events were looked at. */
  readonly lastState: number;
}

/** What the events of a day are, read once. */
interface Examined {
  /** The bytes of all bodies and headers. */
  readonly bytes: number;
  /** The events that stay: what waits, is held, or left a state that needs a base. */
  readonly kept: readonly number[];
}

/**
 * Prunes a day as in `Retention`: looks at its events in steps, then empties its partition, and puts back the few that
 * stay. Only those who read that day wait for it, and claims where PostgreSQL keeps a plan for all days. No row of an
 * event is written: the day is.
 */
export async function pruneDay(deps: Deps, request: PruneDay): Promise<PrunedDay | null> {
  const day = await nextDay(deps.read, request);
  if (day === null) return null;
  const nothing = { day: day.number, events: 0, bytes: 0, givenBack: 0 };
  if (day.events === 0) return nothing;
  const examined = await examine(deps, day, request.step);
  if (examined === null) return nothing;
  try {
    const emptied = deps.transact(({ session }) => emptyDay(session, day, examined, request.now), {
      lockWaitMs: LOCK_WAIT_MS,
    });
    return (await emptied) ?? nothing;
  } catch (error) {
    if (isLockTimeout(error)) return nothing;
    throw error;
  }
}

async function nextDay(read: Session, { before, after }: PruneDay): Promise<Day | null> {
  const day = await read.first(sql<DayPartition>`
    select * from (${dayPartitions}) as days
    where since >= ${after === null ? 0 : (after + 1) * DAY_MS} and until <= ${before} order by since limit 1`);
  if (day === undefined) return null;
  const table = sql.table(day.name);
  const found = await read.first(sql<Omit<Day, keyof DayPartition | 'number'>>`
    select (select count(*) from ${table}) as events,
      (select coalesce(min(event_id), 0) from ${table}) as first,
      (select coalesce(max(event_id), 0) from ${table}) as last,
      (select coalesce(max(id), 0) from machine_states) as "lastState"`);
  if (found === undefined) return null;
  return { ...day, ...found, number: day.since / DAY_MS };
}

/** Looks at all events, and removes the failed attempts of those that may go. Null when too many stay. */
async function examine({ transact }: Deps, day: Day, step: PruneDay['step']): Promise<Examined | null> {
  const kept: number[] = [];
  let [bytes, events] = [0, 0];
  for (let after = day.first - 1; after < day.last;) {
    if (!(await step())) return null;
    const page = await transact(({ session }) => examinePage(session, day, after));
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.id;
    events += page.length;
    bytes += page.reduce((sum, row) => sum + row.bytes, 0);
    kept.push(...page.filter((row) => row.stays).map(({ id }) => id));
    if (kept.length > mostKept(day)) return null;
  }
  // An import has added some, or another process has pruned some.
  return events === day.events ? { bytes, kept } : null;
}

function mostKept({ events }: Day): number {
  return Math.min(MAX_KEPT, events * MAX_KEPT_SHARE);
}

async function examinePage(session: Session, day: Day, after: number) {
  await session.run(REMOVE_CONTENTS);
  const page = await oldEvents(session, { before: day.until, after, limit: STEP_EVENTS }, day);
  const idle = idleEvents(page);
  const { folded, busy } = await perform({ session }, foldsOf(postgresDialect, idle));
  const going = new Set(
    idle.filter((row) => !folded.has(row.subject_id) && !busy.has(row.subject_id)).map(({ id }) => id),
  );
  await removeAttempts(session, [...going]);
  return page.map(({ id, bytes }) => ({ id, bytes, stays: !going.has(id) }));
}

/**
 * Empties the partition in one transaction, and puts back what stays. Null when the day has changed since its
 * events were read.
 */
async function emptyDay(
  session: Session,
  day: Day,
  { bytes, kept }: Examined,
  now: number,
): Promise<PrunedDay | null> {
  const table = sql.table(day.name);
  await session.run(REMOVE_CONTENTS);
  await session.run(sql`lock table only ${table} in access exclusive mode`);
  const before = await session.first(sql<Size & { events: number }>`
    select count(*) as events, pg_total_relation_size(${day.name}) as size from ${table}`);
  const late = await session.rows(waitingOrHeld(day, await machineNames(session), mostKept(day)));
  const staying = [...new Set([...kept, ...late.map(({ id }) => id)])];
  if (before?.events !== day.events || staying.length > mostKept(day)) return null;
  // An import may be about to store an event of the day: only a number after all of the day's says that it has its body.
  if ((await eventsCompleteThrough(session)) < day.last) return null;
  await session.run(sql`
    create unlogged table event_contents_kept as
    select * from ${table} where event_id = any(${arrayOf(staying, 'bigint')})`);
  await session.run(sql`truncate table ${table}`);
  await session.run(sql`insert into ${table} select * from event_contents_kept`);
  const left = await session.first(sql<Size & { events: number; bytes: number }>`
    select count(*) as events, coalesce(sum(octet_length(body) + octet_length(headers)), 0) as bytes,
      pg_total_relation_size(${day.name}) as size from event_contents_kept`);
  await session.run(sql`drop table event_contents_kept`);
  await session.run(sql`
    insert into pruned_days (day, pruned_at) values (${day.number}, ${now})
    on conflict (day) do update set pruned_at = excluded.pruned_at`);
  const pruned = { events: day.events - (left?.events ?? 0), bytes: bytes - (left?.bytes ?? 0) };
  await perform({ session }, countPruned(pruned));
  return { day: day.number, ...pruned, givenBack: before.size - (left?.size ?? 0) };
}

interface Size {
  readonly size: number;
}

/** The events of the day that wait or are held by now, and those of subjects with a new machine state. */
function waitingOrHeld(
  { name, first, last, since, until, lastState }: Day,
  machines: readonly string[],
  most: number,
): RawBuilder<{ id: number }> {
  const ofDay = sql`events.received_at >= ${since} and events.received_at < ${until}`;
  return sql<{ id: number }>`
    select event_id as id from ${sql.table(name)} where event_id in (
      select event_id from deliveries where ${unfinishedOfEvent} and event_id between ${first} and ${last}
      union all
      select event_id from deliveries where status = 'dead' and event_id between ${first} and ${last}
      union all
      select events.id from holds
      join subjects on subjects.family = holds.family and subjects.entity = holds.entity
      join events on events.subject_id = subjects.id and ${ofDay}
      union all
      select events.id from machine_states
      join events on events.subject_id = machine_states.subject_id and ${ofDay}
      where machine_states.id > ${lastState}
      union all
      select events.id from deliveries join events on events.subject_id = deliveries.lane and ${ofDay}
      where deliveries.handler = any(${arrayOf(handlersOf(machines), 'text')}) and deliveries.finished_at is null
    ) limit ${Math.floor(most) + 1}`;
}
