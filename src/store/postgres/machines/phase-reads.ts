/** Reads machines as a whole, by the indexes of phases and of anomalies alone. */
import { sql, type RawBuilder } from 'kysely';
import type { MachineOverview } from '../../machine-overview.ts';
import { machineState } from '../../shared/machines/machine-record.ts';
import {
  countedSubjects,
  MAX_COMBINATIONS,
  MAX_COUNTED_SUBJECTS,
  phasesIn,
} from '../../shared/machines/phase-counts.ts';
import type { Connection } from '../sql/connection.ts';
import { isAnyOf, unnestOf } from '../sql/expressions.ts';
import { machineNames, selectStates } from './machine-reads.ts';

export function createPhaseReads(connection: Connection): MachineOverview {
  const { read, ids } = connection;
  return {
    machineNames: () => machineNames(read),
    async phaseCounts(machine) {
      const rows = await read.rows(sql<{ phases: string; found: number }>`
        select phases, found from (${combinations(machine)}) as combinations, lateral (
          select count(*) as found from (
            select from machine_states
            where machine = ${machine} and phases = combinations.phases limit ${MAX_COUNTED_SUBJECTS + 1}
          ) as bounded
        ) as counted`);
      return rows.map(({ phases, found }) => ({ phases: phasesIn(phases), ...countedSubjects(found) }));
    },
    async anomalousSubjects(machine) {
      const row = await read.first(sql<{ found: number }>`
        select count(*) as found from (
          select from machine_states where machine = ${machine} and anomalies > 0 limit ${MAX_COUNTED_SUBJECTS + 1}
        ) as bounded`);
      return countedSubjects(row?.found ?? 0);
    },
    async statesInPhase({ machine, phase, anomalous }, { limit, after }) {
      const from = after === undefined ? 0 : Number(after);
      const states = sql`machine_states where machine = ${machine} and subject_id > ${from}`;
      let page = sql<{ subject_id: number }>`select subject_id from ${states}`;
      if (phase !== undefined) {
        const all = await read.rows(combinations(machine));
        const phases = all.map((row) => row.phases).filter((each) => phasesIn(each).includes(phase));
        // A page of each combination in the order of its index; with anomalies, by their index.
        page =
          anomalous === true
            ? sql`select subject_id from ${states} and ${isAnyOf('phases', phases, 'text')}`
            : sql`
              select subject_id from ${unnestOf('wanted', phases, { phases: ['text', (phase) => phase] })}, lateral (
                select subject_id from ${states} and machine_states.phases = wanted.phases
                order by subject_id limit ${limit + 1}
              ) as each where true`;
      }
      if (anomalous === true) page = sql`${page} and anomalies > 0`;
      const rows = await read.rows(
        sql<{ subject_id: number }>`${page} order by subject_id limit ${limit + 1}`,
      );
      const shown = rows.slice(0, limit).map((row) => row.subject_id);
      const found = await read.rows(
        selectStates(connection)
          .where('machine', '=', machine)
          .where(isAnyOf('subject_id', shown, 'bigint'))
          .orderBy('subject_id'),
      );
      return {
        states: found.map((row) => machineState(row, ids)),
        cursor: rows.length > limit ? String(shown.at(-1)) : null,
      };
    },
    async latestAnomalies(machine, limit) {
      const rows = await read.rows(
        sql<{ event_id: number; message: string; source: string; family: string; entity: string }>`
          select anomalies.event_id, anomalies.message, subjects.source, subjects.family, subjects.entity
          from anomalies join subjects on subjects.id = anomalies.subject_id
          where anomalies.machine = ${machine} order by anomalies.id desc limit ${limit}`,
      );
      return rows.map((row) => ({
        machine,
        eventId: ids.event(row.event_id),
        message: row.message,
        source: row.source,
        subject: { family: row.family, id: row.entity },
      }));
    },
  };
}

/** The different combinations of a machine, by one look-up in the index for each. */
function combinations(machine: string): RawBuilder<{ phases: string }> {
  return sql`
    with recursive found as (
      select min(phases) as phases from machine_states where machine = ${machine}
      union all
      select (select min(phases) from machine_states where machine = ${machine} and phases > found.phases)
      from found where found.phases is not null
    )
    select phases from found where phases is not null limit ${MAX_COMBINATIONS}`;
}
