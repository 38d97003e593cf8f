/** Stores and reads the ledger of erasures. */
import { sql, type UpdateObject } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
import type { BegunErasure, Privacy } from '../../privacy.ts';
import { erasureId, erasureRecord, withRun } from '../../shared/privacy/privacy-records.ts';
import type { DatabaseSchema } from '../../shared/tables.ts';
import type { Connection } from '../sql/connection.ts';
import { rowsNow, runNow } from '../sql/statement.ts';

/** Writes the ledger of erasures. Called inside a transaction. */
export interface LedgerWrites {
  beginErasure(erasure: BegunErasure): string;
  /** @throws PortariaError `not-found` */
  beginErasureRun(id: string, run: Parameters<Privacy['beginErasureRun']>[1]): void;
  /** @throws PortariaError `not-found` */
  finishErasure(id: string, receipt: string | null): void;
}

export function createLedgerWrites({ database, query, clock }: Connection): LedgerWrites {
  function update(id: string, values: UpdateObject<DatabaseSchema, 'erasures'>) {
    const updated = runNow(
      database,
      query
        .updateTable('erasures')
        .set(values)
        .where('id', '=', Number(id.slice(1)))
        .where('finished_at', 'is', null),
    );
    if (updated.changes === 0) throw new PortariaError('not-found', `there is no unfinished erasure ${id}`);
  }

  return {
    beginErasure({ requestedBy, reason, identifiers, receipt = null }) {
      const row = {
        started_at: clock.now(),
        finished_at: null,
        requested_by: requestedBy,
        reason,
        identifiers: JSON.stringify(identifiers),
        receipt,
        runs: null,
      };
      return erasureId(Number(runNow(database, query.insertInto('erasures').values(row)).lastInsertRowid));
    },
    beginErasureRun(id, { identifiers, ...run }) {
      update(id, {
        identifiers: JSON.stringify(identifiers),
        runs: withRun(readRuns({ database, query }, id), run),
      });
    },
    finishErasure(id, receipt) {
      update(id, { finished_at: clock.now(), receipt: sql<string | null>`coalesce(receipt, ${receipt})` });
    },
  };
}

function readRuns({ database, query }: Pick<Connection, 'database' | 'query'>, id: string): string | null {
  const rows = query
    .selectFrom('erasures')
    .select('runs')
    .where('id', '=', Number(id.slice(1)));
  return rowsNow(database, rows)[0]?.runs ?? null;
}

export function createLedgerReads({ query }: Pick<Connection, 'query'>): Pick<Privacy, 'erasures'> {
  return {
    async erasures() {
      const rows = await query.selectFrom('erasures').selectAll().orderBy('id').execute();
      return rows.map(erasureRecord);
    },
  };
}
