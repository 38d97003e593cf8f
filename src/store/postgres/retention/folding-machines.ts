/** Finds which machines know a subject, for pruning. */
import { sql } from 'kysely';
import { machineNames } from '../../shared/machines/machine-reads.ts';
import { isAnyOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/** Returns the machines that have a state of each of these subjects, without subjects that no machine knows. */
export async function foldingMachines(
  session: Session,
  subjects: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  if (subjects.length === 0) return new Map();
  // The key begins with the machine, so each name is looked up with each subject.
  const rows = await session.rows(sql<{ machine: string; subject_id: number }>`
    select machine, subject_id from machine_states
    where ${isAnyOf('machine', await machineNames(session), 'text')}
      and ${isAnyOf('subject_id', subjects, 'bigint')}`);
  const found = Map.groupBy(rows, (row) => row.subject_id);
  return new Map([...found].map(([subject, states]) => [subject, states.map(({ machine }) => machine)]));
}

/** Returns those of the subjects with a fold or an effect that waits or runs. */
export async function waitingSubjects(
  session: Session,
  subjects: readonly number[],
): Promise<ReadonlySet<number>> {
  if (subjects.length === 0) return new Set();
  const handlers = handlersOf(await machineNames(session));
  // A machine runs its deliveries in lanes of subjects.
  const rows = await session.rows(sql<{ lane: number }>`
    select distinct lane from deliveries
    where ${isAnyOf('handler', handlers, 'text')} and ${isAnyOf('lane', subjects, 'bigint')}
      and finished_at is null`);
  return new Set(rows.map(({ lane }) => lane));
}

/** The handlers of machines: those that fold, and those that run effects. */
export function handlersOf(machines: readonly string[]): readonly string[] {
  return machines.flatMap((machine) => [machine, `${machine}/effects`]);
}
