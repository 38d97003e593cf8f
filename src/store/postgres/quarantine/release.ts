/** Releases entries of the quarantine. */
import { sql } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
import { rowOf } from '../../shared/ids.ts';
import { isAnyOf, unnestOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/** An entry to release: its row, and its event if it was released before. */
export interface QuarantinedEntry {
  readonly row: number;
  readonly eventId: number | null;
}

/** Locks entries until the end of the transaction. Those that are not there are left out. */
export async function lockEntries(
  session: Session,
  ids: readonly string[],
): Promise<ReadonlyMap<string, QuarantinedEntry>> {
  const rows = new Map(ids.map((id) => [id, rowOf('q', id) ?? -1]));
  if (rows.size === 0) return new Map();
  const found = await session.rows(sql<QuarantinedEntry>`
    select id as row, event_id as "eventId" from quarantine
    where ${isAnyOf('id', [...rows.values()], 'bigint')}
    order by id for update`);
  const byRow = new Map(found.map((entry) => [entry.row, entry]));
  return new Map(
    [...rows].flatMap(([id, row]) => {
      const entry = byRow.get(row);
      return entry === undefined ? [] : [[id, entry] as const];
    }),
  );
}

export function noSuchEntry(id: string): PortariaError {
  return new PortariaError(
    'not-found',
    `there is no quarantine entry ${id}: it never existed, or the quota or retention dropped it`,
  );
}

/** Marks entries as released. They count no longer for the quota. */
export async function releaseEntries(
  session: Session,
  released: readonly { readonly row: number; readonly eventId: number }[],
): Promise<void> {
  if (released.length === 0) return;
  await session.run(sql`
    update quarantine set status = 'released', event_id = released.event_id
    from ${unnestOf('released', released, {
      id: ['bigint', ({ row }) => row],
      event_id: ['bigint', ({ eventId }) => eventId],
    })}
    where quarantine.id = released.id`);
}
