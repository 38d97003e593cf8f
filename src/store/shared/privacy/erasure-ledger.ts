/** Stores and reads the ledger of erasures. One erasure runs at a time. */
import { sql, type RawBuilder } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
import type { BegunErasure, ContentChange, ContentOutcome, Privacy, ErasingProcess } from '../../privacy.ts';
import type { SharedConnection } from '../sql/connection.ts';
import type { Dialect } from '../sql/dialect.ts';
import { first, run, type Write } from '../sql/statements.ts';
import type { ErasureParts } from './erased-marks.ts';
import { erasureId, erasureRecord, withErasedRows, withRun } from './privacy-records.ts';

const rowOf = (id: string): number => Number(id.slice(1));

export function createLedgerWrites(
  { dialect, clock }: SharedConnection,
  { requireLock, keyed }: Pick<ErasureParts, 'requireLock' | 'keyed'>,
) {
  /** @throws PortariaError `not-found` */
  function* update(id: string, set: RawBuilder<unknown>): Write<void> {
    const updated = yield* run(
      sql`update erasures set ${set} where id = ${rowOf(id)} and finished_at is null`,
    );
    if (updated === 0) throw new PortariaError('not-found', `there is no unfinished erasure ${id}`);
  }

  return {
    /** Once an erasure is committed, repeats of originals are looked for, which needs the key. */
    *beginErasure({ requestedBy, reason, identifiers, receipt = null }: BegunErasure): Write<string> {
      yield* requireLock();
      yield* keyed();
      const begun = yield* first(sql<{ id: number }>`
        insert into erasures (started_at, requested_by, reason, identifiers, receipt)
        values (${clock.now()}, ${requestedBy}, ${reason}, ${JSON.stringify(identifiers)}, ${receipt})
        returning id`);
      return erasureId(begun?.id ?? 0);
    },
    *beginErasureRun(
      id: string,
      { identifiers, ...begun }: Parameters<Privacy['beginErasureRun']>[1],
    ): Write<void> {
      yield* requireLock();
      const runs = withRun(yield* lockRuns(dialect, id), begun);
      yield* update(id, sql`identifiers = ${JSON.stringify(identifiers)}, runs = ${runs}`);
    },
    *finishErasure(id: string, receipt: string | null): Write<void> {
      yield* requireLock();
      yield* update(id, sql`finished_at = ${clock.now()}, receipt = coalesce(receipt, ${receipt})`);
    },
  };
}

/** Counts changed rows with the last run of an erasure. Called inside the transaction that changes them. */
export function* countErasedRows(
  dialect: Pick<Dialect, 'forUpdate'>,
  id: string,
  {
    changes,
    outcomes,
  }: { readonly changes: readonly ContentChange[]; readonly outcomes: readonly ContentOutcome[] },
): Write<void> {
  const runs = withErasedRows(yield* lockRuns(dialect, id), changes, outcomes);
  if (runs !== null) yield* run(sql`update erasures set runs = ${runs} where id = ${rowOf(id)}`);
}

function* lockRuns({ forUpdate }: Pick<Dialect, 'forUpdate'>, id: string): Write<string | null> {
  const row = yield* first(
    sql<{ runs: string | null }>`select runs from erasures where id = ${rowOf(id)} ${forUpdate}`,
  );
  return row?.runs ?? null;
}

export function createLedgerReads({ read }: Pick<SharedConnection, 'read'>): Pick<Privacy, 'erasures'> {
  return {
    async erasures() {
      const found = await read.rows(
        sql<Parameters<typeof erasureRecord>[0]>`select * from erasures order by id`,
      );
      return found.map(erasureRecord);
    },
  };
}

/** Names a process as the database and lists of processes do. */
export function processName(host: string, pid: number): string {
  return `${host}:${String(pid)}`;
}

/** The error for an erasure that would begin while another one runs. */
export function erasureRefused(holder: ErasingProcess | null): PortariaError {
  return new PortariaError('erasure-refused', {
    code: 'other-erasure',
    process: holder?.process ?? null,
    since: holder?.since == null ? null : new Date(holder.since).toISOString(),
  });
}
