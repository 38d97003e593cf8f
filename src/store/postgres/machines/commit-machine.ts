/**
 * Stores what a fold has computed, and the states of before its pruned events.
 *
 * The caller has locked the lanes of the subject, so its effects need no lock more. The revision decides: it is written first.
 */
import { sql } from 'kysely';
import { subjectName, type Subject } from '../../../event/subject.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import type { MachineCommit } from '../../lane-queue.ts';
import { MAX_ANOMALIES, type MachineStates } from '../../machine-states.ts';
import { eventRowOf } from '../../shared/ids.ts';
import { partsOfState } from '../../state-phases.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import { enqueue } from '../deliveries/enqueue.ts';
import { lockLanes } from '../deliveries/lanes.ts';
import { subjectRow } from '../../shared/events/verdict.ts';
import type { Connection } from '../sql/connection.ts';
import { unnestOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import type { JsonValue } from '../../../kernel/json/json.ts';

/**
 * Stores a machine's new state, its anomalies, its base and its effects. The caller has locked the subject's lanes.
 *
 * @param context.replayed the event and replay of the delivery that ends; its effects belong to that replay
 * @throws PortariaError `machine-conflict` when the revision has changed: nothing is stored
 */
export async function commitMachine(
  transaction: Transaction,
  subjectId: number,
  commit: MachineCommit,
  {
    now,
    replayed,
  }: {
    readonly now: number;
    readonly replayed?: { readonly eventId: number; readonly replayId: number };
  },
): Promise<void> {
  const { session } = transaction;
  const { machine, base, effects } = commit;
  // First: a conflict writes nothing.
  const { before, after } = await writeState(session, subjectId, commit, now);
  await writeAnomalies(transaction, subjectId, commit, { before, after });
  if (base !== undefined) await writeBase(session, subjectId, { machine, ...base });
  // A machine folds the events of one subject, so their effects are that subject's, too.
  const deliveries = effects.map(({ eventId, name, change, late }) => {
    const row = eventRow(eventId);
    const replayId = row === replayed?.eventId ? replayed.replayId : 0;
    const handler = `${machine}/effects`;
    return {
      ...{ eventId: row, subjectId, handler, order: 'subject' as const, replayId },
      effect: { name, change, late },
    };
  });
  await enqueue(transaction, deliveries, now);
}

/** Stores a state outside any delivery. */
export function createStateCommit(connection: Connection): Pick<MachineStates, 'commitMachine'> {
  const { transactLanes } = connection;
  return {
    commitMachine: (source, subject, commit, now) =>
      transactLanes(async (transaction) => {
        const known = await transaction.session.first(subjectRow(source, subject));
        if (known === undefined) throw unknownSubject(source, subject);
        await lockLanes(transaction.session, { subjects: [known.id], handlers: [] });
        await commitMachine(transaction, known.id, commit, { now });
      }),
  };
}

function unknownSubject(source: string, subject: Subject): PortariaError {
  return new PortariaError('not-found', `there is no subject ${subjectName(subject)} of source ${source}`);
}

function eventRow(id: string): number {
  const row = eventRowOf(id);
  if (row === undefined) throw new PortariaError('not-found', `there is no event ${id}`);
  return row;
}

/** How many anomalies were found, before this commit and with it. */
interface Anomalies {
  readonly before: number;
  readonly after: number;
}

/** Writes the state if it still has the revision that the fold started from. The row's own lock decides. */
async function writeState(
  session: Session,
  subjectId: number,
  commit: MachineCommit,
  now: number,
): Promise<Anomalies> {
  const { machine, revision, refolded } = commit;
  const state = JSON.stringify(commit.state);
  const phases = JSON.stringify(partsOfState(commit.state));
  const lastEvent = eventRow(commit.lastEventId);
  const added = commit.anomalies.length;
  const insertion = sql<Anomalies>`
    insert into machine_states (machine, subject_id, state, version, last_event, revision, updated_at, anomalies, phases)
    values (${machine}, ${subjectId}, ${state}, ${commit.version}, ${lastEvent}, 1, ${now}, ${added}, ${phases})
    on conflict (machine, subject_id) do nothing
    returning 0 as before, anomalies as after`;
  const update = sql<Anomalies>`
    update machine_states set state = ${state}, version = ${commit.version}, last_event = ${lastEvent},
      revision = known.revision + 1, updated_at = ${now}, phases = ${phases},
      anomalies = ${added} + ${refolded ? sql`0` : sql`known.anomalies`}
    from (
      select revision, anomalies from machine_states
      where machine = ${machine} and subject_id = ${subjectId} and revision = ${revision} for update
    ) as known
    where machine = ${machine} and subject_id = ${subjectId}
    returning known.anomalies as before, machine_states.anomalies as after`;
  const written = await session.first(revision === 0 ? insertion : update);
  if (written !== undefined) return written;
  const found = await session.first(sql<{ revision: number }>`
    select revision from machine_states where machine = ${machine} and subject_id = ${subjectId}`);
  throw new PortariaError(
    'machine-conflict',
    `machine ${machine} has changed since it was read (revision ${String(found?.revision ?? 0)}, ` +
      `expected ${String(revision)}): fold again`,
  );
}

async function writeAnomalies(
  { session, counts }: Transaction,
  subjectId: number,
  { machine, anomalies, refolded }: MachineCommit,
  { before, after }: Anomalies,
): Promise<void> {
  let stored = 0;
  if (refolded && before > 0)
    stored -= await session.run(sql`
      delete from anomalies where subject_id = ${subjectId} and machine = ${machine}`);
  const kept = anomalies.slice(-MAX_ANOMALIES);
  if (kept.length > 0) {
    stored += await session.run(sql`
      insert into anomalies (machine, subject_id, event_id, message)
      select ${machine}, ${subjectId}, event_id, message
      from ${unnestOf('found', kept, {
        event_id: ['bigint', ({ eventId }) => eventRow(eventId)],
        message: ['text', ({ message }) => message],
        place: 'place',
      })}
      order by place`);
  }
  if (after > MAX_ANOMALIES && kept.length > 0 && !refolded)
    stored -= await session.run(sql`
      delete from anomalies where subject_id = ${subjectId} and machine = ${machine} and id <= (
        select id from anomalies where subject_id = ${subjectId} and machine = ${machine}
        order by id desc offset ${MAX_ANOMALIES} limit 1
      )`);
  counts.rowsStored('anomalies', stored);
}

/** A base without its subject. */
interface Base {
  readonly machine: string;
  readonly state: JsonValue;
  readonly through: number;
}

/** Stores the base of a subject in place of the last one, without a check. */
export async function writeBase(
  session: Session,
  subjectId: number,
  { machine, state, through }: Base,
): Promise<void> {
  await session.run(sql`
    insert into machine_bases (machine, subject_id, state, through_event)
    values (${machine}, ${subjectId}, ${JSON.stringify(state)}, ${through})
    on conflict (machine, subject_id) do update
    set state = excluded.state, through_event = excluded.through_event`);
}
