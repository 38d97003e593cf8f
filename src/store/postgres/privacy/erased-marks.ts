/** Marks erased events and entries, and makes folds fail that have read the old state. */
import { sql } from 'kysely';
import type { EventFlag } from '../../../event/event.ts';
import { parseJson } from '../../../kernel/json/parse-json.ts';
import type { ContentChange } from '../../privacy.ts';
import { canonicalDigest } from '../../shared/quarantine/canonical-digest.ts';
import { partsOfState } from '../../state-phases.ts';
import { digestKey } from '../../shared/events/verdict.ts';
import type { Session } from '../sql/session.ts';
import type { Keyed } from './keyed-digest.ts';

/**
 * Marks an event as erased. Its digest is keyed, because the content could be guessed from its own; and so is that
 * of its message id, if the id held an identifier.
 */
export async function markEvent(
  session: Session,
  row: number,
  { messageId }: { readonly messageId: boolean },
  keyed: Keyed,
): Promise<void> {
  const event = await session.first(sql<EventDigests>`
    select subject_id, flags, digest, message_digest from events where id = ${row} for update`);
  if (event === undefined) return;
  const flags = JSON.parse(event.flags) as EventFlag[];
  if (!flags.includes('erased')) {
    const digest = keyed.digest(event.digest);
    const marked = JSON.stringify([...flags, 'erased' satisfies EventFlag]);
    await session.run(sql`
      update events set digest = ${digest}, digest_key = ${digestKey(digest)}, flags = ${marked} where id = ${row}`);
  }
  if (messageId && event.message_digest !== null) {
    const digest = keyed.digest(event.message_digest);
    await session.run(sql`
      update events set message_digest = ${digest}, message_key = ${digestKey(digest)} where id = ${row}`);
  }
  await session.run(sql`update subjects set erased = erased + 1 where id = ${event.subject_id}`);
}

interface EventDigests {
  readonly subject_id: number;
  readonly flags: string;
  readonly digest: Uint8Array;
  readonly message_digest: Uint8Array | null;
}

/** Marks an entry of the quarantine as erased when its body changes. A trigger counts the bytes that it loses. */
export async function markEntry(session: Session, { row, body }: ContentChange, keyed: Keyed): Promise<void> {
  if (body === undefined) return;
  const entry = await session.first(sql<EntryDigest>`
    select digest, erased from quarantine where id = ${row} for update`);
  if (entry === undefined || entry.erased === 1) return;
  const digest = keyed.digest(entry.digest);
  // A sender that repeats the original may write its members in another order.
  const canonical = canonicalDigest(body.before);
  await session.run(sql`
    update quarantine set erased = 1, digest = ${digest}, digest_key = ${digestKey(digest)},
      canonical_digest = ${canonical === null ? null : keyed.digest(canonical)}
    where id = ${row}`);
}

interface EntryDigest {
  readonly digest: Uint8Array;
  /** Whether the digest is keyed already. */
  readonly erased: number;
}

/**
 * Makes folds fail that have read or remember the old state: they must not write it back. A state is indexed by
 * its phases, which change with it.
 */
export async function rejectOldFolds(
  session: Session,
  table: 'machine_states' | 'machine_bases',
  row: number,
): Promise<void> {
  const state = await session.first(sql<{ machine: string; subject_id: number; state: string }>`
    update machine_states set revision = revision + 1
    where (machine, subject_id) = (select machine, subject_id from ${sql.table(table)} where id = ${row})
    returning machine, subject_id, state`);
  await session.run(sql`
    update subjects set erased = erased + 1
    where id = (select subject_id from ${sql.table(table)} where id = ${row})`);
  if (state === undefined || table !== 'machine_states') return;
  const phases = JSON.stringify(partsOfState(parseJson(state.state)));
  await session.run(sql`
    update machine_states set phases = ${phases}
    where machine = ${state.machine} and subject_id = ${state.subject_id}`);
}
