import { sql } from 'kysely';
import type { Pause } from '../../pauses.ts';
import { pauseOf, type PauseRow } from '../../rows/pause-record.ts';
import type { Connection } from '../sql/connection.ts';

/** Reads the operators' pauses that are in force, the oldest first. */
export async function pausesInForce({ read, clock }: Connection): Promise<readonly Pause[]> {
  const rows = await read.rows(sql<PauseRow>`
    select * from pauses where until is null or until > ${clock.now()} order by id`);
  return rows.map(pauseOf);
}
