/** Keeps the table of failures by handler and kind of error. */
import { sql } from 'kysely';
import {
  errorFingerprint,
  MAX_GROUPS,
  OTHER,
  REMOVED_AT_ONCE,
  type FailedDelivery,
} from '../../shared/failures/failure-group.ts';
import { FAILURE_GROUPS_LOCK, tryLockNames } from '../sql/advisory-locks.ts';
import { insertOf, isAnyOf, unnestOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/**
 * Groups failed deliveries by handler and kind of error. A delivery that succeeds costs nothing here: the row of
 * a failed attempt before stays, and readers ignore it, until a later failure removes it.
 *
 * A failure adds a row of changes and changes no row of its group, so a failure of a known kind waits for no other. The
 * first failure of a kind locks the groups of its handler.
 */
export interface FailureRows {
  /**
   * Locks the groups of those handlers to which `failed` may have to add one, unless another transaction has locked
   * them. Returns whether `failed` can count a failure without waiting.
   */
  tryLockGroups(session: Session, failures: readonly Failure[]): Promise<(failure: Failure) => boolean>;
  /** Counts failures of different deliveries, all of which the caller holds. */
  failed(session: Session, failures: readonly Failure[]): Promise<void>;
}

/** A failed delivery with the fingerprint of its error. */
export interface Failure extends Omit<FailedDelivery, 'error'> {
  readonly fingerprint: string;
}

export function failureOf({ error, ...delivery }: FailedDelivery): Failure {
  return { ...delivery, fingerprint: errorFingerprint(error) };
}

/** Groups that a process remembers, at most. */
const MAX_COUNTED = 10_000;

export function createFailureRows(): FailureRows {
  /** The groups that this process has counted failures in. Some may have been removed since. */
  const counted = new Set<string>();
  const groupOf = ({ handler, fingerprint }: Failure): string => `${fingerprint} ${handler}`;

  /** Where the search for rows of ended deliveries goes on: a failed attempt is mostly followed by a success. */
  let searchedTo = 0;

  /**
   * Counts failures in their groups, and removes some rows of ended deliveries.
   *
   * @returns those whose group is missing
   */
  async function record(session: Session, failures: readonly Failure[]): Promise<readonly Failure[]> {
    const ids = failures.map(({ id }) => id);
    const rows = await session.rows(
      sql<{ at: number; isKnown: boolean; count: number; last: number | null }>`
        with given as (
          select * from ${unnestOf('given', failures, {
            id: ['bigint', ({ id }) => id],
            handler: ['text', ({ handler }) => handler],
            fingerprint: ['text', ({ fingerprint }) => fingerprint],
            dead: ['integer', ({ dead }) => (dead ? 1 : 0)],
            now: ['bigint', ({ now }) => now],
            at: 'place',
          })}
        ), groups as (
          -- A share lock: failures do not wait for each other, and nobody deletes the group before they commit.
          select id, handler, fingerprint from failure_groups
          where (handler, fingerprint) in (select handler, fingerprint from given) order by id for key share
        ), grouped as (
          select given.id, given.dead, given.now, given.at, groups.id as group_id
          from given left join groups on groups.handler = given.handler and groups.fingerprint = given.fingerprint
        ), changed as (
          insert into failure_changes (group_id, dead, began_at, last_at)
          select group_id, sum(dead),
            case when not exists (select from failures where failures.group_id = grouped.group_id) then min(now) end,
            max(now)
          from grouped where group_id is not null group by group_id
        ), put as (
          insert into failures (delivery_id, group_id, dead) select id, group_id, dead from grouped
          where group_id is not null
          on conflict (delivery_id) do update set group_id = excluded.group_id, dead = excluded.dead
        ), found as (
          -- Not in the pass that finds no group: the next one searches.
          select failures.delivery_id as id, deliveries.finished_at
          from failures left join deliveries on deliveries.id = failures.delivery_id
          where failures.dead = 0 and failures.delivery_id > ${searchedTo} and not ${isAnyOf('failures.delivery_id', ids, 'bigint')}
            and exists (select from groups)
          order by failures.delivery_id limit ${REMOVED_AT_ONCE * failures.length}
        ), removed as (
          -- Locks rows of ended deliveries only: the row of a failing one belongs to its own transaction.
          delete from failures where delivery_id = any(array(
            select delivery_id from failures
            where delivery_id = any(array(select id from found where finished_at is not null)) and dead = 0
            for update skip locked
          ))
        )
        select at::integer as at, group_id is not null as "isKnown",
          (select count(*) from found)::integer as count, (select max(id) from found) as last
        from grouped`,
    );
    const missing = rows.filter(({ isKnown }) => !isKnown);
    if (counted.size > MAX_COUNTED) counted.clear();
    for (const { at, isKnown } of rows) {
      const failure = failures[at - 1];
      if (isKnown && failure !== undefined) counted.add(groupOf(failure));
    }
    const [{ count, last } = { count: 0, last: null }] = rows;
    if (missing.length < rows.length)
      searchedTo = count < REMOVED_AT_ONCE * failures.length ? 0 : (last ?? 0);
    return missing.flatMap(({ at }) => failures[at - 1] ?? []);
  }

  return {
    async tryLockGroups(session, failures) {
      const isKnown = (failure: Failure): boolean => counted.has(groupOf(failure));
      const unknown = failures.filter((failure) => !isKnown(failure));
      const locked = await tryLockNames(
        session,
        FAILURE_GROUPS_LOCK,
        unknown.map(({ handler }) => handler),
      );
      return (failure) => locked.has(failure.handler) || isKnown(failure);
    },
    async failed(session, failures) {
      const missing = await record(session, failures);
      if (missing.length > 0) await record(session, await withGroups(session, missing));
    },
  };
}

/** Adds the missing groups of failures, as far as their handlers may have more. Returns each with the fingerprint of its group. */
async function withGroups(session: Session, failures: readonly Failure[]): Promise<readonly Failure[]> {
  const byHandler = Map.groupBy(failures, ({ handler }) => handler);
  const grouped: Failure[] = [];
  // In the order of their names, so that no two transactions wait for each other.
  for (const handler of [...byHandler.keys()].toSorted()) {
    const ofHandler = byHandler.get(handler) ?? [];
    const groups = await addGroups(session, handler, ofHandler);
    for (const failure of ofHandler)
      grouped.push(groups.has(failure.fingerprint) ? failure : { ...failure, fingerprint: OTHER });
  }
  return grouped;
}

/** Adds groups to a handler, and returns the fingerprints of all that it has. Makes room by removing empty ones. */
async function addGroups(
  session: Session,
  handler: string,
  failures: readonly Failure[],
): Promise<ReadonlySet<string>> {
  await session.run(sql`select pg_advisory_xact_lock(${FAILURE_GROUPS_LOCK}, hashtext(${handler}))`);
  let groups = await fingerprintsOf(session, handler);
  const wanted = [...new Set(failures.map(({ fingerprint }) => fingerprint))];
  const missing = () => wanted.filter((fingerprint) => !groups.has(fingerprint));
  if (groups.size + missing().length > MAX_GROUPS) {
    await removeEmpty(session, handler);
    groups = await fingerprintsOf(session, handler);
  }
  const room = Math.max(0, MAX_GROUPS - groups.size);
  const added = missing().slice(0, room);
  if (missing().length > room) added.push(OTHER);
  const now = Math.min(...failures.map((failure) => failure.now));
  await session.run(sql`
    ${insertOf('failure_groups', added, {
      handler: ['text', () => handler],
      fingerprint: ['text', (fingerprint) => fingerprint],
      dead: ['bigint', () => 0],
      first_at: ['bigint', () => now],
      last_at: ['bigint', () => now],
    })}
    on conflict (handler, fingerprint) do nothing`);
  return new Set([...groups, ...added]);
}

async function fingerprintsOf(session: Session, handler: string): Promise<Set<string>> {
  const rows = await session.rows(
    sql<{ fingerprint: string }>`select fingerprint from failure_groups where handler = ${handler}`,
  );
  return new Set(rows.map(({ fingerprint }) => fingerprint));
}

async function removeEmpty(session: Session, handler: string): Promise<void> {
  const empty = sql`not exists (select from failures where group_id = failure_groups.id)`;
  const found = await session.rows(
    sql<{ id: number }>`
      select id from failure_groups where handler = ${handler} and ${empty} order by id for update skip locked`,
  );
  // A statement of its own sees what was committed until the rows were locked.
  await session.run(sql`
    delete from failure_groups
    where ${isAnyOf(
      'id',
      found.map(({ id }) => id),
      'bigint',
    )} and ${empty}`);
}
