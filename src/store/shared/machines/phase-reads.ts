/** Reads machines as a whole, by the indexes of phases and of anomalies alone. */
import { sql, type RawBuilder } from 'kysely';
import { parseJson } from '../../../kernel/json/parse-json.ts';
import type { MachineOverview, PhaseCount } from '../../machine-states.ts';
import { sourceSubject, type SubjectRow } from '../events/event-conditions.ts';
import { rowAfter } from '../ids.ts';
import type { SharedConnection } from '../sql/connection.ts';
import { machineNames, selectStates, machineState, type StateRow } from './machine-reads.ts';

/** Subjects that are counted of each combination of phases. */
const MAX_COUNTED_SUBJECTS = 10_000;

/** Combinations of phases of a machine: a state may hold any text where a phase is expected. */
const MAX_COMBINATIONS = 100;

/** @param found the subjects, of which up to one more than the maximum was counted */
function countedSubjects(found: number): Pick<PhaseCount, 'subjects' | 'more'> {
  return { subjects: Math.min(found, MAX_COUNTED_SUBJECTS), more: found > MAX_COUNTED_SUBJECTS };
}

/** Returns the phases of a combination, without the parts that the state lacks. */
function phasesIn(combination: string): readonly string[] {
  const parts = parseJson(combination);
  return Array.isArray(parts) ? parts.filter((part) => typeof part === 'string') : [];
}

export function createPhaseReads({ read, dialect, ids }: SharedConnection): MachineOverview {
  return {
    machineNames: () => machineNames(read),
    async phaseCounts(machine) {
      const rows = await read.rows(sql<{ phases: string; found: number }>`
        select phases, (
          select count(*) from (
            select 1 from machine_states
            where machine = ${machine} and phases = combinations.phases limit ${MAX_COUNTED_SUBJECTS + 1}
          ) as bounded
        ) as found
        from (${combinations(machine)}) as combinations`);
      return rows.map(({ phases, found }) => ({ phases: phasesIn(phases), ...countedSubjects(found) }));
    },
    async anomalousSubjects(machine) {
      const row = await read.first(sql<{ found: number }>`
        select count(*) as found from (
          select 1 from machine_states where machine = ${machine} and anomalies > 0 limit ${MAX_COUNTED_SUBJECTS + 1}
        ) as bounded`);
      return countedSubjects(row?.found ?? 0);
    },
    async statesInPhase({ machine, phase, anomalous }, { limit, after }) {
      const from = rowAfter(after);
      const states = sql`select subject_id from machine_states where machine = ${machine} and subject_id > ${from}`;
      const inOrder = sql`order by subject_id limit ${limit + 1}`;
      let page = states;
      if (phase !== undefined) {
        const all = await read.rows(combinations(machine));
        const phases = all.map((row) => row.phases).filter((each) => phasesIn(each).includes(phase));
        if (phases.length === 0) return { states: [], cursor: null };
        // A page of each combination in the order of its index; with anomalies, by their index.
        const pages = phases.map(
          (each) => sql`select * from (${states} and phases = ${each} ${inOrder}) as page`,
        );
        page =
          anomalous === true
            ? sql`${states} and ${dialect.isAnyOf('phases', phases, 'text')}`
            : sql.join(pages, sql` union all `);
      }
      if (anomalous === true) page = sql`${page} and anomalies > 0`;
      const rows = await read.rows(sql<{ subject_id: number }>`${page} ${inOrder}`);
      const shown = rows.slice(0, limit).map((row) => row.subject_id);
      const found = await read.rows(sql<StateRow>`
        ${selectStates} where machine = ${machine} and ${dialect.isAnyOf('subject_id', shown, 'bigint')}
        order by subject_id`);
      return {
        states: found.map((row) => machineState(row, ids)),
        cursor: rows.length > limit ? String(shown.at(-1)) : null,
      };
    },
    async latestAnomalies(machine, limit) {
      const rows = await read.rows(
        sql<SubjectRow & { readonly event_id: number; readonly message: string }>`
          select anomalies.event_id, anomalies.message, subjects.source, subjects.family, subjects.entity
          from anomalies join subjects on subjects.id = anomalies.subject_id
          where anomalies.machine = ${machine} order by anomalies.id desc limit ${limit}`,
      );
      return rows.map((row) => ({
        machine,
        eventId: ids.event(row.event_id),
        message: row.message,
        ...sourceSubject(row),
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
