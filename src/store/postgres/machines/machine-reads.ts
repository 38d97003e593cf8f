/** Lists the states and anomalies of machines. */
import { sql, type RawBuilder } from 'kysely';
import type { MachineStates } from '../../machine-states.ts';
import { hasKind } from '../sql/dialect.ts';
import { subjectRow } from '../events/subject-row.ts';
import { machineState } from '../../shared/machines/machine-record.ts';
import type { Connection } from '../sql/connection.ts';
import { isAnyOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

type Reads = Pick<
  MachineStates,
  'hasDiedOf' | 'listMachineStates' | 'anomalies' | 'sourcesOf' | 'subjectsWithKinds'
>;

/** Selects states with their subjects. */
export function selectStates({ query }: Connection) {
  return query
    .selectFrom('machine_states')
    .innerJoin('subjects', 'subjects.id', 'machine_states.subject_id')
    .selectAll('machine_states')
    .select(['subjects.source', 'subjects.family', 'subjects.entity']);
}

/** Reads the state that a fold starts from. */
export function createMachineStateRead(connection: Connection): Pick<MachineStates, 'machineState'> {
  const { read, ids } = connection;
  return {
    async machineState(machine, source, subject) {
      const row = await read.first(
        selectStates(connection)
          .where('machine', '=', machine)
          .where(sql<boolean>`subject_id = (${subjectRow(source, subject)})`),
      );
      return row === undefined ? null : machineState(row, ids);
    },
  };
}

/** Reads machine states, and the subjects to refold. */
export function createMachineReads(connection: Connection): Reads {
  const { read, ids } = connection;
  return {
    async hasDiedOf(machine, eventId) {
      const rows = await read.rows(
        sql<{ status: string }>`
          select status from deliveries
          where event_id = ${ids.eventRow(eventId) ?? 0} and handler = ${machine} and status in ('dead', 'succeeded')`,
      );
      return rows.length > 0 && rows.every(({ status }) => status === 'dead');
    },
    async listMachineStates(filter) {
      let list = selectStates(connection);
      if (filter.machine !== undefined) list = list.where('machine', '=', filter.machine);
      if (filter.source !== undefined) list = list.where('subjects.source', '=', filter.source);
      const { subject } = filter;
      if (subject !== undefined) {
        // One look-up in the key for each machine: a machine may know a million other subjects.
        list = list.where(sql<boolean>`subject_id = any(array(
          select named.id from subjects as named where named.family = ${subject.family} and named.entity = ${subject.id}
        ))`);
        if (filter.machine === undefined) {
          const machines = await machineNames(read);
          list = list.where(isAnyOf('machine', machines, 'text'));
        }
      }
      // A literal, which the index of anomalies repeats.
      if (filter.anomalous !== undefined)
        list = list.where('machine_states.anomalies', filter.anomalous ? '>' : '=', sql.lit(0));
      const rows = await read.rows(list.orderBy('machine').orderBy('subject_id').limit(filter.limit));
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
      const after = cursor === undefined ? 0 : Number(cursor);
      const rows = await read.rows(sql<SubjectRow & { id: number }>`
        select id, source, family, entity from subjects
        where id > ${after}
          and exists (select from events where events.subject_id = subjects.id and ${hasKind(kinds)})
        order by id limit ${limit}`);
      const last = rows.at(-1);
      return {
        subjects: rows.map((row) => ({
          source: row.source,
          subject: { family: row.family, id: row.entity },
        })),
        cursor: last === undefined || rows.length < limit ? null : String(last.id),
      };
    },
  };
}

interface SubjectRow {
  readonly source: string;
  readonly family: string;
  readonly entity: string;
}

/** Returns the names of all machines that have a state, by one look-up in the key for each. */
export async function machineNames(session: Session): Promise<readonly string[]> {
  const rows = await session.rows(named);
  return rows.map(({ machine }) => machine);
}

const named: RawBuilder<{ machine: string }> = sql`
  with recursive names as (
    select min(machine) as machine from machine_states
    union all
    select (select min(machine) from machine_states where machine > names.machine)
    from names where names.machine is not null
  )
  select machine from names where machine is not null`;
