import { sql, type RawBuilder, type SqlBool } from 'kysely';

/**
 * Whether a slip stands in the way of another one, which is so while it is on
 * its way, or can be paid: for rows with `status` and `due_date`.
 *
 * @param today in Brazil, `YYYY-MM-DD`.
 */
export function isActiveSlip(today: string): RawBuilder<SqlBool> {
  return sql`(status in ('pending', 'requested') or (status = 'issued' and ifnull(due_date, ${today}) >= ${today}))`;
}
