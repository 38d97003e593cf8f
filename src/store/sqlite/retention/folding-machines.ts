/** The machines that must be able to fold before events are pruned. */
import { sql } from 'kysely';
import type { Connection } from '../sql/connection.ts';
import { anyOf } from '../sql/expressions.ts';
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

/** Returns the names of all machines that have a state, by one look-up in the key for each. */
export function machineNames({ database, query }: Connection): readonly string[] {
  const named = query
    .withRecursive('names', (names) =>
      names
        .selectFrom('machine_states')
        .select(({ fn }) => fn.min<string | null>('machine').as('machine'))
        .unionAll(
          names
            .selectFrom('names')
            .select(
              sql<string | null>`(select min(machine) from machine_states where machine > names.machine)`.as(
                'machine',
              ),
            )
            .where('names.machine', 'is not', null),
        ),
    )
    .selectFrom('names')
    .select('machine')
    .where('machine', 'is not', null);
  return rowsNow<{ machine: string }>(database, named).map(({ machine }) => machine);
}
