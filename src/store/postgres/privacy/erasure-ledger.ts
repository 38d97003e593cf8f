/** The ledger of erasures. */
import { sql } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
import type { BegunErasure, Privacy } from '../../privacy.ts';
import { erasureId, erasureRecord, withRun } from '../../shared/privacy/privacy-records.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import type { Connection } from '../sql/connection.ts';
import type { Session } from '../sql/session.ts';
import { readErasureKey } from './keyed-digest.ts';
import { requireErasureLock } from './one-erasure.ts';

/**
 * Begins an erasure, and returns its number. Once it is committed, every process looks for repeats of originals
 * (see keyed-digest.ts), which needs the key.
 */
async function beginErasure(
  { session }: Transaction,
  { requestedBy, reason, identifiers, receipt = null }: BegunErasure,
  now: number,
): Promise<string> {
  await requireErasureLock(session);
  await readErasureKey(session);
  const begun = await session.first(sql<{ id: number }>`
    insert into erasures (started_at, requested_by, reason, identifiers, receipt)
    values (${now}, ${requestedBy}, ${reason}, ${JSON.stringify(identifiers)}, ${receipt})
    returning id`);
  return erasureId(begun?.id ?? 0);
}

/** @throws PortariaError `not-found` */
async function beginErasureRun(
  { session }: Transaction,
  id: string,
  { identifiers, ...run }: Parameters<Privacy['beginErasureRun']>[1],
): Promise<void> {
  await requireErasureLock(session);
  const runs = withRun(await lockRuns(session, id), run);
  const begun = await session.run(sql`
    update erasures set identifiers = ${JSON.stringify(identifiers)}, runs = ${runs}
    where id = ${Number(id.slice(1))} and finished_at is null`);
  if (begun === 0) throw unfinishedMissing(id);
}

async function lockRuns(session: Session, id: string): Promise<string | null> {
  const row = await session.first(
    sql<{ runs: string | null }>`select runs from erasures where id = ${Number(id.slice(1))} for update`,
  );
  return row?.runs ?? null;
}

function unfinishedMissing(id: string): PortariaError {
  return new PortariaError('not-found', `there is no unfinished erasure ${id}`);
}

/** @throws PortariaError `not-found` */
async function finishErasure(
  { session }: Transaction,
  id: string,
  receipt: string | null,
  now: number,
): Promise<void> {
  await requireErasureLock(session);
  const finished = await session.run(sql`
    update erasures set finished_at = ${now}, receipt = coalesce(receipt, ${receipt})
    where id = ${Number(id.slice(1))} and finished_at is null`);
  if (finished === 0) throw unfinishedMissing(id);
}

export function createErasureLedger({
  read,
  transact,
  clock,
}: Connection): Pick<Privacy, 'beginErasure' | 'beginErasureRun' | 'finishErasure' | 'erasures'> {
  return {
    beginErasure: (erasure) => transact((transaction) => beginErasure(transaction, erasure, clock.now())),
    beginErasureRun: (id, run) => transact((transaction) => beginErasureRun(transaction, id, run)),
    finishErasure: (id, receipt) =>
      transact((transaction) => finishErasure(transaction, id, receipt, clock.now())),
    ...createLedgerReads({ read }),
  };
}

function createLedgerReads({ read }: Pick<Connection, 'read'>): Pick<Privacy, 'erasures'> {
  return {
    async erasures() {
      const rows = await read.rows(
        sql<Parameters<typeof erasureRecord>[0]>`select * from erasures order by id`,
      );
      return rows.map(erasureRecord);
    },
  };
}
