/** Stores and reads the ledger of erasures. */
import { PortariaError } from '../../../kernel/errors.ts';
import type { ErasureRecord, Privacy } from '../../privacy.ts';
import { erasureId, erasureRecord } from '../../rows/privacy/privacy-records.ts';
import type { Connection } from '../sql/connection.ts';
import { runNow } from '../sql/statement.ts';

/** Writes the ledger of erasures. Called inside a transaction. */
export interface LedgerWrites {
  beginErasure(erasure: Pick<ErasureRecord, 'requestedBy' | 'reason' | 'identifiers'>): string;
  /** @throws PortariaError `not-found` */
  finishErasure(id: string, receipt: string | null): void;
}

export function createLedgerWrites({ database, query, clock }: Connection): LedgerWrites {
  return {
    beginErasure({ requestedBy, reason, identifiers }) {
      const row = {
        started_at: clock.now(),
        finished_at: null,
        requested_by: requestedBy,
        reason,
        identifiers: JSON.stringify(identifiers),
        receipt: null,
      };
      return erasureId(Number(runNow(database, query.insertInto('erasures').values(row)).lastInsertRowid));
    },
    finishErasure(id, receipt) {
      const finished = runNow(
        database,
        query
          .updateTable('erasures')
          .set({ finished_at: clock.now(), receipt })
          .where('id', '=', Number(id.slice(1)))
          .where('finished_at', 'is', null),
      );
      if (finished.changes === 0)
        throw new PortariaError('not-found', `there is no unfinished erasure ${id}`);
    },
  };
}

export function createLedgerReads({ query }: Pick<Connection, 'query'>): Pick<Privacy, 'erasures'> {
  return {
    async erasures() {
      const rows = await query.selectFrom('erasures').selectAll().orderBy('id').execute();
      return rows.map(erasureRecord);
    },
  };
}
