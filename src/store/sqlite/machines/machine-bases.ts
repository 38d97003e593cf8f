/** The states from which machines fold when earlier events are pruned. */
import { PortariaError } from '../../../kernel/errors.ts';
import type { JsonValue } from '../../../kernel/json/json.ts';
import type { Connection } from '../sql/connection.ts';
import { rowsNow, runNow } from '../sql/statement.ts';

/** A base without its subject. */
interface Base {
  readonly machine: string;
  readonly state: JsonValue;
  readonly through: number;
}

/**
 * Stores the base of a subject in place of the last one. Called inside a
 * transaction.
 *
 * @throws PortariaError `machine-conflict` when the machine's state has changed since `revision`
 */
export type StoreMachineBase = (subjectId: number, base: Base & { readonly revision: number }) => void;

export function createStoreMachineBase(connection: Connection): StoreMachineBase {
  const { database, query } = connection;
  return (subjectId, { machine, revision, ...base }) => {
    const known = query
      .selectFrom('machine_states')
      .select('revision')
      .where('machine', '=', machine)
      .where('subject_id', '=', subjectId);
    const found = rowsNow<{ revision: number }>(database, known)[0]?.revision ?? 0;
    if (found !== revision) {
      throw new PortariaError(
        'machine-conflict',
        `machine ${machine} has changed since it was read (revision ${String(found)}, expected ` +
          `${String(revision)}): try again`,
      );
    }
    writeBase(connection, subjectId, { machine, ...base });
  };
}

/** Writes a base without a check. Called inside a transaction. */
export function writeBase(
  { database, query }: Connection,
  subjectId: number,
  { machine, state, through }: Base,
): void {
  const row = {
    machine,
    subject_id: subjectId,
    state: JSON.stringify(state),
    through_event: through,
  };
  runNow(database, query.replaceInto('machine_bases').values(row));
}
