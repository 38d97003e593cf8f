/** Marks erased events and entries, and makes folds fail that have read the old state. */
import { sql } from 'kysely';
import type { EventFlag } from '../../../event/event.ts';
import type { ContentChange } from '../../privacy.ts';
import { isDigestId } from '../../erased-content.ts';
import { digestKey } from '../events/verdict.ts';
import { canonicalDigest } from '../quarantine/canonical-digest.ts';
import type { Dialect } from '../sql/dialect.ts';
import { first, run, type Write } from '../sql/statements.ts';
import type { ContentTables } from './content-tables.ts';

/** Computes what erased content has instead of its own digest and id. */
export interface Keyed {
  digest(digest: Uint8Array): Uint8Array;
  entity(entity: string): string;
}

/** What an erasure needs of one of the databases. */
export interface ErasureParts extends ContentTables {
  /** Checks that the process still has the lock that keeps other erasures apart, when it took it. */
  readonly requireLock: () => Write<void>;
  /** Returns what erased content has instead of its own digests and ids. */
  readonly keyed: () => Write<Keyed>;
  /** Stores the phases of a state that was replaced, where a column has them. */
  readonly storePhases: (machine: string, subjectId: number, state: string) => Write<void>;
}

interface EventDigests {
  readonly subject_id: number;
  readonly entity: string;
  readonly flags: string;
  readonly digest: Uint8Array;
  readonly message_digest: Uint8Array | null;
}

interface EntryDigest {
  readonly digest: Uint8Array;
  /** Whether the digest is keyed already. */
  readonly erased: number;
}

export function createErasedMarks(
  { forUpdate }: Pick<Dialect, 'forUpdate'>,
  { tables, storePhases }: Pick<ErasureParts, 'tables' | 'storePhases'>,
) {
  return {
    /**
     * Marks an event as erased. Its digest is keyed, because the content could be guessed from its own; and so is that
     * of its message id, if the id held an identifier, and the id of its subject, if that is a digest.
     */
    *markEvent(row: number, { messageId }: { readonly messageId: boolean }, keyed: Keyed): Write<void> {
      const event = yield* first(sql<EventDigests>`
        select subject_id, flags, digest, message_digest,
          (select entity from subjects where subjects.id = events.subject_id) as entity
        from events where id = ${row} ${forUpdate}`);
      if (event === undefined) return;
      const flags = JSON.parse(event.flags) as EventFlag[];
      if (!flags.includes('erased')) {
        const digest = keyed.digest(event.digest);
        const marked = JSON.stringify([...flags, 'erased' satisfies EventFlag]);
        yield* run(sql`
          update events set digest = ${digest}, digest_key = ${digestKey(digest)}, flags = ${marked} where id = ${row}`);
      }
      if (messageId && event.message_digest !== null) {
        const digest = keyed.digest(event.message_digest);
        yield* run(sql`
          update events set message_digest = ${digest}, message_key = ${digestKey(digest)} where id = ${row}`);
      }
      const entity = isDigestId(event.entity) ? keyed.entity(event.entity) : event.entity;
      yield* run(sql`
        update subjects set erased = erased + 1, entity = ${entity} where id = ${event.subject_id}`);
    },

    /** Marks an entry of the quarantine as erased when its body changes. A trigger counts the bytes that it loses. */
    *markEntry({ row, body }: ContentChange, keyed: Keyed): Write<void> {
      if (body === undefined) return;
      const entry = yield* first(sql<EntryDigest>`
        select digest, erased from quarantine where id = ${row} ${forUpdate}`);
      if (entry === undefined || entry.erased === 1) return;
      const digest = keyed.digest(entry.digest);
      // A sender that repeats the original may write its members in another order.
      const canonical = canonicalDigest(body.before);
      yield* run(sql`
        update quarantine set erased = 1, digest = ${digest}, digest_key = ${digestKey(digest)},
          canonical_digest = ${canonical === null ? null : keyed.digest(canonical)}
        where id = ${row}`);
    },

    /** Makes folds fail that have read or remember the old state: they must not write it back. */
    *rejectOldFolds(place: 'state' | 'base', row: number): Write<void> {
      const [table, key] = [
        sql.raw(place === 'state' ? 'machine_states' : 'machine_bases'),
        sql.raw(tables[place].key),
      ];
      const state = yield* first(sql<{ machine: string; subject_id: number; state: string }>`
        update machine_states set revision = revision + 1
        where (machine, subject_id) = (select machine, subject_id from ${table} where ${key} = ${row})
        returning machine, subject_id, state`);
      yield* run(sql`
        update subjects set erased = erased + 1 where id = (select subject_id from ${table} where ${key} = ${row})`);
      if (state !== undefined && place === 'state')
        yield* storePhases(state.machine, state.subject_id, state.state);
    },
  };
}
