/** The numbers of all advisory locks, with who waits for whom. */
import { sql } from 'kysely';
import { unnestOf } from './expressions.ts';
import type { Session } from './session.ts';

/*
 * The advisory locks of a store, in the order in which a transaction takes them: so no two wait for each other. It
 * locks the rows of `subjects` between CONTENT_LOCK and HANDLER_LANE_LOCK.
 *
 * A lock has two numbers of 32 bits: one of these, and a second one, which is 0 where there is one lock of the purpose.
 */

/** The letters PT, in the high 16 bits of the number of every lock. */
const PORTARIA = 0x50_54;

const lockNumber = (purpose: number): number => PORTARIA * 2 ** 16 + purpose;

/** Held on the database that a copy writes, until it ends. Nobody waits for it: who meets it gives up. */
export const COPY_LOCK = lockNumber(1);

/** One process at a time migrates. */
export const MIGRATION_LOCK = lockNumber(2);

/** One transaction at a time makes a partition. It takes this lock before all others. */
export const PARTITION_LOCK = lockNumber(3);

/** One transaction at a time merges counts. It does nothing else, and nobody waits for it. */
export const MERGE_LOCK = lockNumber(4);

/** Shared by those that rely on stored content; one transaction at a time removes some. */
export const CONTENT_LOCK = lockNumber(5);

/**
 * Whoever makes a stored event wait again (a replay) or holds its subject takes this first, before lanes, and then asks
 * what is still there: so no event waits, or is held, whose content vanishes.
 */
export const KEEP_CONTENTS = sql`select pg_advisory_xact_lock_shared(${CONTENT_LOCK}, 0)`;

/** Waits for those that keep content, and keeps them waiting: one transaction at a time prunes or erases. */
export const REMOVE_CONTENTS = sql`select pg_advisory_xact_lock(${CONTENT_LOCK}, 0)`;

/** One transaction at a time changes which deliveries a handler's own lane has. The second number is the name's hash. */
export const HANDLER_LANE_LOCK = lockNumber(6);

/** One transaction at a time adds kinds of error to a handler. The second number is the handler's hash. */
export const FAILURE_GROUPS_LOCK = lockNumber(9);

/**
 * Shared by transactions that have drawn numbers of events; nobody waits for it. It has one number of 64 bits: this,
 * and in the low 48 the last number drawn before. Such a number never equals a pair of 32 bits each.
 */
export const DRAWING_LOCKS = BigInt(PORTARIA) << 48n;

/** Held by the process that erases a person, until it ends. Nobody waits for it: a second erasure gives up. */
export const ERASURE_LOCK = lockNumber(8);

/** One transaction at a time holds the same bytes in quarantine. The second number is the start of their digest. */
export const QUARANTINED_BYTES_LOCK = lockNumber(7);

/** Locks those names that no other transaction has locked for the same purpose, and returns them. */
export async function tryLockNames(
  session: Session,
  purpose: number,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const rows = await session.rows(sql<{ name: string }>`
    select name from ${unnestOf('names', [...new Set(names)], { name: ['text', (name) => name] })}
    where pg_try_advisory_xact_lock(${purpose}, hashtext(name))`);
  return new Set(rows.map(({ name }) => name));
}
