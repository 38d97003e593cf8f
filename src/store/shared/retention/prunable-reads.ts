/** Finds rows that retention may prune, by walking a table in steps: an index by time would cost every webhook. */
import { sql } from 'kysely';
import type { PruneRequest, Retention } from '../../retention.ts';
import { deliveryIsHeld, entryIsHeld } from '../privacy/hold-conditions.ts';
import type { SharedConnection } from '../sql/connection.ts';
import { numberOf } from '../sql/dialect.ts';
import { carriesContent, lastCameAt, pageOf, type PrunableRow } from './prune-pages.ts';

/** What it finds is asked again when it is pruned. */
export function createPrunableReads({
  read,
}: Pick<SharedConnection, 'read'>): Pick<Retention, 'prunableQuarantine' | 'prunableDeliveries'> {
  /** Old deliveries of a page that carry failed attempts and nothing else. Few have any, so they are looked up. */
  async function withAttemptsOnly(
    page: readonly PrunableRow[],
    { before, after }: PruneRequest,
  ): Promise<readonly PrunableRow[]> {
    const last = page.at(-1)?.id;
    if (last === undefined) return [];
    return read.rows(sql<PrunableRow>`
      select deliveries.id, carried.bytes, ${numberOf(sql`not ${deliveryIsHeld}`)} as prunable,
        ${numberOf(deliveryIsHeld)} as held
      from (
        select delivery_id, cast(sum(coalesce(octet_length(error), 0)) as bigint) as bytes from attempts
        where delivery_id > ${after} and delivery_id <= ${last} group by delivery_id
      ) as carried
      join deliveries on deliveries.id = carried.delivery_id
      where finished_at < ${before} and not ${carriesContent}`);
  }

  return {
    async prunableQuarantine(request) {
      const isOld = sql`(${lastCameAt} < ${request.before})`;
      const found = await read.rows(sql<PrunableRow>`
        select id, bytes, ${numberOf(sql`${isOld} and not ${entryIsHeld}`)} as prunable,
          ${numberOf(sql`${isOld} and ${entryIsHeld}`)} as held
        from quarantine where id > ${request.after} order by id limit ${request.limit}`);
      return pageOf(found, found, request);
    },
    async prunableDeliveries(request) {
      const isOld = sql`(finished_at is not null and finished_at < ${request.before} and ${carriesContent})`;
      const found = await read.rows(sql<PrunableRow>`
        select id, coalesce(octet_length(last_error), 0) + coalesce(octet_length(effect_change), 0) as bytes,
          ${numberOf(sql`${isOld} and not ${deliveryIsHeld}`)} as prunable,
          ${numberOf(sql`${isOld} and ${deliveryIsHeld}`)} as held
        from deliveries where id > ${request.after} order by id limit ${request.limit}`);
      return pageOf([...found, ...(await withAttemptsOnly(found, request))], found, request);
    },
  };
}
