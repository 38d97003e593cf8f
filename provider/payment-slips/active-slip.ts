/** One active payment slip at a time. */
import { sql } from 'kysely';
import type { Change } from '../change.ts';
import { HttpError } from '../http/http-error.ts';

/** A table of payment slips and its column with the id of the record that each slip pays. */
type SlipTable =
  | { readonly table: 'charge_payment_slips'; readonly column: 'charge_id' }
  | { readonly table: 'antt_violation_tickets'; readonly column: 'antt_violation_id' }
  | { readonly table: 'traffic_violation_tickets'; readonly column: 'traffic_violation_id' };

/**
 * Checks that a record has no active payment slip: none that is pending or
 * requested, and none that is issued and not past its due date.
 *
 * @param id of the record that the slip pays.
 * @param message of the error.
 * @throws HttpError 409 when the record has an active slip.
 */
export async function requireNoActiveSlip(
  { transaction, today }: Change,
  { table, column }: SlipTable,
  id: number,
  message: string,
): Promise<void> {
  const { rows } = await sql`
    select 1 from ${sql.table(table)} where ${sql.ref(column)} = ${id}
      and (status in ('pending', 'requested') or (status = 'issued' and ifnull(due_date, ${today}) >= ${today}))
    limit 1`.execute(transaction);
  if (rows.length > 0) throw new HttpError(409, message);
}
