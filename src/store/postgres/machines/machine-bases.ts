/** The states from which machines fold when earlier events are pruned. */
import { sql } from 'kysely';
import type { JsonValue } from '../../../kernel/json/json.ts';
import { parseJson } from '../../../kernel/json/parse-json.ts';
import type { MachineStates } from '../../machine-states.ts';
import { subjectRow } from '../../shared/events/subject-row.ts';
import type { Connection } from '../sql/connection.ts';
import type { Session } from '../sql/session.ts';

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

/** Reads bases. A fold needs one only when some of its events are pruned. */
export function createMachineBaseRead({ read }: Connection): Pick<MachineStates, 'machineBase'> {
  return {
    async machineBase(machine, source, subject) {
      const row = await read.first(
        sql<{ state: string; through_event: number }>`
          select state, through_event from machine_bases
          where machine = ${machine} and subject_id = (${subjectRow(source, subject)})`,
      );
      return row === undefined ? null : { state: parseJson(row.state), through: row.through_event };
    },
  };
}
