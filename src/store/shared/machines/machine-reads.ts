/** Lists the states and anomalies of machines. */
import { sql, type RawBuilder } from 'kysely';
import { parseJson } from '../../../kernel/json/parse-json.ts';
import type { MachineStates, MachineState } from '../../machine-states.ts';
import { sourceSubject, type SubjectRow } from '../events/event-conditions.ts';
import { subjectRow } from '../events/verdict.ts';
import { allOf, type Condition } from '../sql/dialect.ts';
import { rowAfter, type Ids } from '../ids.ts';
import type { SharedConnection } from '../sql/connection.ts';
import type { SqlReads } from '../sql/statements.ts';

/** Selects states with their subjects. */
export const selectStates: RawBuilder<unknown> = sql`
  select machine_states.*, subjects.source, subjects.family, subjects.entity
  from machine_states join subjects on subjects.id = machine_states.subject_id`;

/** Selects the names of all machines that have a state, by one look-up in the key for each. */
export const selectMachines: RawBuilder<{ machine: string }> = sql`
  with recursive names as (
    select min(machine) as machine from machine_states
    union all
    select (select min(machine) from machine_states where machine > names.machine)
    from names where names.machine is not null
  )
  select machine from names where machine is not null`;

/** Returns the names of all machines that have a state. */
export async function machineNames(read: SqlReads): Promise<readonly string[]> {
  const rows = await read.rows(selectMachines);
  return rows.map(({ machine }) => machine);
}

/** Reads that each fold makes: a row or two, whatever the size of the store. */
export function createFoldReads({
  read,
  ids,
}: SharedConnection): Pick<MachineStates, 'machineState' | 'machineBase' | 'hasDiedOf'> {
  return {
    // A fold needs one only when some of its events are pruned.
    async machineBase(machine, source, subject) {
      const row = await read.first(
        sql<{ state: string; through_event: number }>`
          select state, through_event from machine_bases
          where machine = ${machine} and subject_id = (${subjectRow(source, subject)})`,
      );
      return row === undefined ? null : { state: parseJson(row.state), through: row.through_event };
    },
    async machineState(machine, source, subject) {
      const row = await read.first(
        sql<StateRow>`${selectStates} where machine = ${machine} and subject_id = (${subjectRow(source, subject)})`,
      );
      return row === undefined ? null : machineState(row, ids);
    },
    async hasDiedOf(machine, eventId) {
      const rows = await read.rows(
        sql<{ status: string }>`
          select status from deliveries
          where event_id = ${ids.eventRow(eventId) ?? 0} and handler = ${machine} and status in ('dead', 'succeeded')`,
      );
      return rows.length > 0 && rows.every(({ status }) => status === 'dead');
    },
  };
}

/** Lists machine states for operators, and the subjects to refold. */
export function createMachineReads({
  read,
  dialect,
  ids,
}: SharedConnection): Pick<
  MachineStates,
  'listMachineStates' | 'anomalies' | 'sourcesOf' | 'subjectsWithKinds'
> {
  return {
    async listMachineStates({ machine, source, subject, anomalous, limit }) {
      const conditions: Condition[] = [];
      if (machine !== undefined) conditions.push(sql`machine = ${machine}`);
      if (source !== undefined) conditions.push(sql`subjects.source = ${source}`);
      if (subject !== undefined) {
        // One look-up in the key for each machine: a machine may know a million other subjects.
        const named = sql`
          select named.id from subjects as named where named.family = ${subject.family} and named.entity = ${subject.id}`;
        conditions.push(dialect.isFoundBy('subject_id', named));
        if (machine === undefined) {
          conditions.push(dialect.isAnyOf('machine', await machineNames(read), 'text'));
        }
      }
      // A literal, which the index of anomalies repeats.
      if (anomalous !== undefined)
        conditions.push(sql`machine_states.anomalies ${anomalous ? sql`>` : sql`=`} 0`);
      const rows = await read.rows(
        sql<StateRow>`${selectStates} where ${allOf(conditions)} order by machine, subject_id limit ${limit}`,
      );
      return rows.map((row) => machineState(row, ids));
    },
    async anomalies(machine, source, subject, limit) {
      const rows = await read.rows(
        sql<{ machine: string; event_id: number; message: string }>`
          select machine, event_id, message from anomalies
          where subject_id = (${subjectRow(source, subject)}) and machine = ${machine}
          order by id desc limit ${limit}`,
      );
      return rows.toReversed().map((row) => ({
        machine: row.machine,
        eventId: ids.event(row.event_id),
        message: row.message,
      }));
    },
    async sourcesOf(subject) {
      const rows = await read.rows(
        sql<{ source: string }>`
          select source from subjects where family = ${subject.family} and entity = ${subject.id} order by id`,
      );
      return rows.map((row) => row.source);
    },
    async subjectsWithKinds(kinds, { limit, cursor }) {
      const after = rowAfter(cursor);
      const rows = await read.rows(
        sql<SubjectRow & { readonly id: number }>`
          select id, source, family, entity from subjects
          where id > ${after}
            and exists (select 1 from events where events.subject_id = subjects.id and ${dialect.hasKind(kinds)})
          order by id limit ${limit}`,
      );
      const last = rows.at(-1);
      return {
        subjects: rows.map(sourceSubject),
        cursor: last === undefined || rows.length < limit ? null : String(last.id),
      };
    },
  };
}

/** A row of `machine_states` with its subject. */
export interface StateRow {
  readonly machine: string;
  readonly source: string;
  readonly family: string;
  readonly entity: string;
  readonly state: string;
  readonly version: string | null;
  readonly last_event: number;
  readonly revision: number;
  readonly updated_at: number;
  readonly anomalies: number;
}

export function machineState(row: StateRow, ids: Ids): MachineState {
  return {
    machine: row.machine,
    source: row.source,
    subject: { family: row.family, id: row.entity },
    state: parseJson(row.state),
    version: row.version,
    lastEventId: ids.event(row.last_event),
    revision: row.revision,
    updatedAt: row.updated_at,
    anomalies: row.anomalies,
  };
}
