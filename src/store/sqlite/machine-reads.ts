import { sql } from 'kysely';
import type { JsonValue } from '../../kernel/json.ts';
import type { Subject } from '../../event/subject.ts';
import type { MachineState, MachineStates } from '../machine-states.ts';
import { anyOf } from './any-of.ts';
import type { Connection } from './connection.ts';
import { bodyText, eventColumns, storedEvent } from './event-record.ts';
import type { Ids } from './ids.ts';
import { kindGlob } from './kind-glob.ts';
import { readSubjectLog } from './read-subject-log.ts';

type Reads = Omit<MachineStates, 'commitMachine'>;

/** What machines know, and the events they know it from. */
export function createMachineReads({ query, ids }: Connection): Reads {
  const states = () =>
    query
      .selectFrom('machine_states')
      .innerJoin('subjects', 'subjects.id', 'machine_states.subject_id')
      .selectAll('machine_states')
      .select(['subjects.source', 'subjects.family', 'subjects.entity']);
  const subjectRow = (source: string, subject: Subject) =>
    query
      .selectFrom('subjects')
      .select('id')
      .where('family', '=', subject.family)
      .where('entity', '=', subject.id)
      .where('source', '=', source);

  return {
    async machineState(machine, source, subject) {
      const row = await states()
        .where('machine', '=', machine)
        .where('subject_id', '=', subjectRow(source, subject))
        .executeTakeFirst();
      return row === undefined ? null : machineState(row, ids);
    },
    async subjectLog(source, subject, through) {
      const row = await subjectRow(source, subject).executeTakeFirst();
      const last = through === undefined ? Number.MAX_SAFE_INTEGER : (ids.eventRow(through) ?? 0);
      return row === undefined ? [] : readSubjectLog({ query, ids }, row.id, last);
    },
    async storedEvents(wanted) {
      const rows = await query
        .selectFrom('events')
        .innerJoin('subjects', 'subjects.id', 'events.subject_id')
        .select(eventColumns)
        .select(bodyText.as('body'))
        .where('events.id', 'in', anyOf(wanted.flatMap((id) => ids.eventRow(id) ?? [])))
        .where('events.body', 'is not', null)
        .execute();
      const found = new Map(rows.map((row) => [row.event_id, row]));
      return wanted.flatMap((id) => {
        const row = found.get(ids.eventRow(id) ?? 0);
        return row === undefined ? [] : [storedEvent(row, ids)];
      });
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
    async listMachineStates(filter) {
      let list = states();
      if (filter.machine !== undefined) list = list.where('machine', '=', filter.machine);
      if (filter.source !== undefined) list = list.where('subjects.source', '=', filter.source);
      if (filter.subject !== undefined) {
        list = list
          .where('subjects.family', '=', filter.subject.family)
          .where('subjects.entity', '=', filter.subject.id);
      }
      if (filter.anomalous !== undefined) {
        list = list.where('machine_states.anomalies', filter.anomalous ? '>' : '=', 0);
      }
      const rows = await list.orderBy('machine').orderBy('subject_id').limit(filter.limit).execute();
      return rows.map((row) => machineState(row, ids));
    },
    async anomalies(machine, source, subject) {
      const rows = await query
        .selectFrom('anomalies')
        .select(['machine', 'event_id', 'message'])
        .where('subject_id', '=', subjectRow(source, subject))
        .where('machine', '=', machine)
        .orderBy('id')
        .execute();
      return rows.map((row) => ({
        machine: row.machine,
        eventId: ids.event(row.event_id),
        message: row.message,
      }));
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

interface StateRow {
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

function machineState(row: StateRow, ids: Ids): MachineState {
  return {
    machine: row.machine,
    source: row.source,
    subject: { family: row.family, id: row.entity },
    state: JSON.parse(row.state) as JsonValue,
    version: row.version,
    lastEventId: ids.event(row.last_event),
    revision: row.revision,
    updatedAt: row.updated_at,
    anomalies: row.anomalies,
  };
}
