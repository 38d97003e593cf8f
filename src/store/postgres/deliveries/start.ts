import { sql } from 'kysely';
import type { LaneHead } from '../../rows/deliveries/claim-choice.ts';
import { arrayOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/** When the event of a started delivery was received, which tells the partition of its content. */
export interface Received {
  readonly received_at: number;
}

/** The column of a {@link Received}, for a statement that starts deliveries. */
export const receivedColumn = sql`
  (select received_at from events where events.id = deliveries.event_id) as received_at`;

/**
 * Marks heads running, and returns those that still were as they had been read: another process may be faster.
 *
 * @param options.countedUpTo the number of the first ones that count their attempts now. The others are prefetched:
 *   their attempts count with their outcomes.
 */
export async function startHeads(
  session: Session,
  heads: readonly LaneHead[],
  { holder, countedUpTo }: { readonly holder: number; readonly countedUpTo: number },
): Promise<readonly (LaneHead & Received)[]> {
  if (heads.length === 0) return [];
  const started = await session.rows(
    sql<Received & { id: number }>`
      with chosen as (
        select deliveries.id, wanted.counted
        from unnest(
          ${arrayOf(
            heads.map(({ delivery_id: id }) => id),
            'bigint',
          )},
          ${arrayOf(
            heads.map(({ attempt }) => attempt - 1),
            'integer',
          )},
          ${arrayOf(
            heads.map((_, index) => (index < countedUpTo ? 1 : 0)),
            'smallint',
          )}
        ) as wanted (id, attempts, counted)
        join deliveries on deliveries.id = wanted.id
        where deliveries.head = 1 and deliveries.attempts = wanted.attempts
          and exists (select from leases where holder = ${holder})
        order by deliveries.id for update of deliveries skip locked
      )
      update deliveries set
        status = 'running', head = 0, attempts = attempts + chosen.counted, due_at = null, asked_at = null,
        holder = ${holder}
      from chosen where deliveries.id = chosen.id
      returning deliveries.id, ${receivedColumn}`,
  );
  const times = new Map(started.map(({ id, received_at: at }) => [id, at]));
  return heads.flatMap((head) => {
    const at = times.get(head.delivery_id);
    return at === undefined ? [] : [{ ...head, received_at: at }];
  });
}
