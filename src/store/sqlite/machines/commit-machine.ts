/** Stores what a fold has computed. */
import { PortariaError } from '../../../kernel/errors.ts';
import type { MachineCommit } from '../../lane-queue.ts';
import { MAX_ANOMALIES } from '../../machine-states.ts';
import type { Connection } from '../sql/connection.ts';
import type { EnqueueDelivery } from '../deliveries/enqueue.ts';
import type { EventRows } from '../events/event-rows.ts';
import { writeBase } from './machine-bases.ts';
import { prepare, type Named } from '../sql/statement.ts';

/** Stores a machine's new state of a subject. Called inside a transaction. */
export type CommitMachine = (
  subjectId: number,
  commit: MachineCommit,
  context: {
    readonly now: number;
    /** Effects of this event belong to this replay; effects of others are first deliveries. */
    readonly replayed?: { readonly eventId: number; readonly replayId: number };
  },
) => void;

interface Deps {
  readonly events: EventRows;
  readonly enqueue: EnqueueDelivery;
}

export function createCommitMachine(connection: Connection, { events, enqueue }: Deps): CommitMachine {
  const { database, query, ids } = connection;
  const current = prepare(database, (p: Named<{ machine: string; subjectId: number }>) =>
    query
      .selectFrom('machine_states')
      .select(['revision', 'anomalies'])
      .where('machine', '=', p.machine)
      .where('subject_id', '=', p.subjectId),
  );
  const write = prepare(database, (p: Named<StateRow>) =>
    query.replaceInto('machine_states').values({
      machine: p.machine,
      subject_id: p.subjectId,
      state: p.state,
      version: p.version,
      last_event: p.lastEvent,
      revision: p.revision,
      updated_at: p.now,
      anomalies: p.anomalies,
    }),
  );
  const deleteAnomalies = prepare(database, (p: Named<{ machine: string; subjectId: number }>) =>
    query.deleteFrom('anomalies').where('machine', '=', p.machine).where('subject_id', '=', p.subjectId),
  );
  const deleteOldest = prepare(database, (p: Named<{ machine: string; subjectId: number }>) =>
    query
      .deleteFrom('anomalies')
      .where('machine', '=', p.machine)
      .where('subject_id', '=', p.subjectId)
      .where('id', '<=', (oldest) =>
        oldest
          .selectFrom('anomalies')
          .select('id')
          .where('machine', '=', p.machine)
          .where('subject_id', '=', p.subjectId)
          .orderBy('id', 'desc')
          .limit(oldest.lit(1))
          .offset(oldest.lit(MAX_ANOMALIES)),
      ),
  );
  const addAnomaly = prepare(
    database,
    (p: Named<{ machine: string; subjectId: number; eventId: number; message: string }>) =>
      query.insertInto('anomalies').values({
        machine: p.machine,
        subject_id: p.subjectId,
        event_id: p.eventId,
        message: p.message,
      }),
  );

  function eventRow(id: string): number {
    const row = ids.eventRow(id);
    if (row === undefined) throw new PortariaError('not-found', `there is no event ${id}`);
    return row;
  }

  return (subjectId, commit, { now, replayed }) => {
    const { machine } = commit;
    const known = current.get({ machine, subjectId });
    if ((known?.revision ?? 0) !== commit.revision) {
      throw new PortariaError(
        'machine-conflict',
        `machine ${machine} has changed since it was read (revision ${String(known?.revision ?? 0)}, ` +
          `expected ${String(commit.revision)}): fold again`,
      );
    }
    if (commit.refolded) deleteAnomalies.run({ machine, subjectId });
    const anomalies = (commit.refolded ? 0 : (known?.anomalies ?? 0)) + commit.anomalies.length;
    for (const { eventId, message } of commit.anomalies.slice(-MAX_ANOMALIES)) {
      addAnomaly.run({ machine, subjectId, eventId: eventRow(eventId), message });
    }
    if (anomalies > MAX_ANOMALIES && !commit.refolded) deleteOldest.run({ machine, subjectId });
    write.run({
      machine,
      subjectId,
      state: JSON.stringify(commit.state),
      version: commit.version,
      lastEvent: eventRow(commit.lastEventId),
      revision: commit.revision + 1,
      now,
      anomalies,
    });
    if (commit.base !== undefined) writeBase(connection, subjectId, { machine, ...commit.base });
    for (const { eventId, name, change, late } of commit.effects) {
      const row = eventRow(eventId);
      const replayId = row === replayed?.eventId ? replayed.replayId : 0;
      enqueue(
        {
          eventId: row,
          subjectId: events.subjectOf(row) ?? subjectId,
          handler: `${machine}/effects`,
          order: 'subject',
          replayId,
          effect: { name, change, late },
        },
        now,
      );
    }
  };
}

interface StateRow {
  machine: string;
  subjectId: number;
  state: string;
  version: string | null;
  lastEvent: number;
  revision: number;
  now: number;
  anomalies: number;
}
