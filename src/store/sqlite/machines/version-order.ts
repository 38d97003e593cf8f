/** Reads the history of a subject, as SQLite does it fast. */
import { sql } from 'kysely';
import type { MachineStates } from '../../machine-states.ts';
import { notSuperseded } from '../../shared/events/event-conditions.ts';
import { subjectRow } from '../../shared/events/verdict.ts';
import { historyInOrder } from '../../shared/machines/version-order.ts';
import { allOf, type Condition } from '../../shared/sql/dialect.ts';
import type { Connection } from '../sql/connection.ts';

interface HistoryRow {
  readonly id: number;
  readonly version: string | null;
  readonly pruned: number;
}

export function createVersionOrder({ read, dialect, ids }: Connection): Pick<MachineStates, 'versionOrder'> {
  return {
    async versionOrder({ source, subject, kinds, through, event }) {
      const conditions: Condition[] = [notSuperseded];
      if (through !== undefined) conditions.push(sql`events.id <= ${ids.eventRow(through) ?? 0}`);
      if (kinds !== undefined)
        conditions.push(sql`recognized = 1 and ${dialect.isAnyOf('kind', kinds, 'text')}`);
      // Reading in table order takes a third of the time: neighbours share a page. The limit keeps SQLite from dropping
      // the order when it joins.
      const rows = await read.rows(sql<HistoryRow>`
        select events.id, events.version, (events.body is null) as pruned
        from (
          select id from events where subject_id = (${subjectRow(source, subject)}) order by id limit -1
        ) as logged
        join events on events.id = +logged.id
        where ${allOf(conditions)}`);
      const known = await read.first(
        sql<{ erased: number }>`select erased from subjects where id = (${subjectRow(source, subject)})`,
      );
      const events = rows.map(({ id, version, pruned }) => ({ id, version, pruned: pruned === 1 }));
      return historyInOrder({ erased: known?.erased ?? 0, events }, event, ids);
    },
  };
}
