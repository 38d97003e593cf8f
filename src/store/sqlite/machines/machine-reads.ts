/** Lists the states and anomalies of machines. */
import { sql } from 'kysely';
import type { MachineStates } from '../../machine-states.ts';
import { createMachineBaseRead } from './machine-bases.ts';
import { machineNames } from '../retention/folding-machines.ts';
import { subjectRow } from '../events/subjects.ts';
import { machineState } from '../../shared/machines/machine-record.ts';
import type { Connection } from '../sql/connection.ts';
import { anyOf, kindGlob } from '../sql/expressions.ts';

type Reads = Pick<MachineStates, 'listMachineStates' | 'anomalies' | 'sourcesOf' | 'subjectsWithKinds'>;
type PointReads = Pick<MachineStates, 'machineState' | 'machineBase' | 'hasDiedOf'>;

/** Selects states with their subjects. */
export function selectStates({ query }: Connection) {
  return query
    .selectFrom('machine_states')
    .innerJoin('subjects', 'subjects.id', 'machine_states.subject_id')
    .selectAll('machine_states')
    .select(['subjects.source', 'subjects.family', 'subjects.entity']);
}

/** Reads that each fold makes: a row or two, whatever the size of the store. */
export function createPointReads(connection: Connection): PointReads {
  const { query, ids } = connection;
  return {
    ...createMachineBaseRead(connection),
    async machineState(machine, source, subject) {
      const row = await selectStates(connection)
        .where('machine', '=', machine)
        .where('subject_id', '=', subjectRow(query, source, subject))
        .executeTakeFirst();
      return row === undefined ? null : machineState(row, ids);
    },
    async hasDiedOf(machine, eventId) {
      const rows = await query
        .selectFrom('deliveries')
        .select('status')
        .where('event_id', '=', ids.eventRow(eventId) ?? 0)
        .where('handler', '=', machine)
        .where('status', 'in', ['dead', 'succeeded'])
        .execute();
      return rows.length > 0 && rows.every(({ status }) => status === 'dead');
    },
  };
}

/** Lists machine states for operators, and the subjects to refold. */
export function createMachineReads(connection: Connection): Reads {
  const { query, ids } = connection;
  return {
    async listMachineStates(filter) {
      let list = selectStates(connection);
      if (filter.machine !== undefined) list = list.where('machine', '=', filter.machine);
      if (filter.source !== undefined) list = list.where('subjects.source', '=', filter.source);
      const { subject } = filter;
      if (subject !== undefined) {
        // One look-up in the key for each machine: a machine may know a million other subjects.
        list = list.where('subject_id', 'in', (eb) =>
          eb
            .selectFrom('subjects as named')
            .select('named.id')
            .where('named.family', '=', subject.family)
            .where('named.entity', '=', subject.id),
        );
        if (filter.machine === undefined) list = list.where('machine', 'in', anyOf(machineNames(connection)));
      }
      if (filter.anomalous !== undefined) {
        list = list.where('machine_states.anomalies', filter.anomalous ? '>' : '=', 0);
      }
      const rows = await list.orderBy('machine').orderBy('subject_id').limit(filter.limit).execute();
      return rows.map((row) => machineState(row, ids));
    },
    async anomalies(machine, source, subject, limit) {
      const rows = await query
        .selectFrom('anomalies')
        .select(['machine', 'event_id', 'message'])
        .where('subject_id', '=', subjectRow(query, source, subject))
        .where('machine', '=', machine)
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.toReversed().map((row) => ({
        machine: row.machine,
        eventId: ids.event(row.event_id),
        message: row.message,
      }));
    },
    async sourcesOf(subject) {
      const rows = await query
        .selectFrom('subjects')
        .select('source')
        .where('family', '=', subject.family)
        .where('entity', '=', subject.id)
        .orderBy('id')
        .execute();
      return rows.map((row) => row.source);
    },
    async subjectsWithKinds(kinds, { limit, cursor }) {
      const rows = await query
        .selectFrom('subjects')
        .select(['id', 'source', 'family', 'entity'])
        .where('id', '>', cursor === undefined ? 0 : Number(cursor))
        .where((eb) =>
          eb.exists(
            eb
              .selectFrom('events')
              .select('events.id')
              .whereRef('events.subject_id', '=', 'subjects.id')
              .where((event) =>
                event.or(kinds.map((kind) => event('events.kind', sql`glob`, kindGlob(kind)))),
              ),
          ),
        )
        .orderBy('id')
        .limit(limit)
        .execute();
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
