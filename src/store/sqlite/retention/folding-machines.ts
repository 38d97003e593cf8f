/** The machines that must be able to fold before events are pruned. */
import { selectMachines } from '../../shared/machines/machine-reads.ts';
import { rows } from '../../shared/sql/statements.ts';
import type { Connection } from '../sql/connection.ts';
import { anyOf } from '../sql/expressions.ts';
import { perform } from '../sql/perform.ts';
import { rowsNow } from '../sql/statement.ts';

/** Returns the machines that have a state of each of these subjects, without subjects that no machine knows. */
export function foldingMachines(
  connection: Connection,
  subjects: readonly number[],
): ReadonlyMap<number, readonly string[]> {
  if (subjects.length === 0) return new Map();
  const { database, query } = connection;
  // The key begins with the machine, so each name is looked up with each subject.
  const states = query
    .selectFrom('machine_states')
    .select(['machine', 'subject_id'])
    .where('machine', 'in', anyOf(machineNames(connection)))
    .where('subject_id', 'in', anyOf(subjects));
  const found = Map.groupBy(
    rowsNow<{ machine: string; subject_id: number }>(database, states),
    (row) => row.subject_id,
  );
  return new Map([...found].map(([subject, rows]) => [subject, rows.map(({ machine }) => machine)]));
}

/** Returns those of the subjects with a fold or an effect that waits or runs. */
export function waitingSubjects(connection: Connection, subjects: readonly number[]): ReadonlySet<number> {
  if (subjects.length === 0) return new Set();
  const { database, query } = connection;
  const handlers = machineNames(connection).flatMap((machine) => [machine, `${machine}/effects`]);
  // A machine runs its deliveries in lanes of subjects.
  const waiting = query
    .selectFrom('deliveries')
    .select('lane')
    .distinct()
    .where('handler', 'in', anyOf(handlers))
    .where('lane', 'in', anyOf(subjects))
    .where('finished_at', 'is', null);
  return new Set(rowsNow<{ lane: number }>(database, waiting).map(({ lane }) => lane));
}

function machineNames(connection: Connection): readonly string[] {
  return perform(connection, rows(selectMachines)).map(({ machine }) => machine);
}
