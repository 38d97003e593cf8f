/** The states from which machines fold when earlier events are pruned. */
import { sql } from 'kysely';
import type { JsonValue } from '../../../kernel/json/json.ts';
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
