/** Counts webhooks by status. */
import { CompiledQuery } from 'kysely';
import type { Provider } from '../../provider.ts';
import type { DeliveryStatus } from '../webhook-tables.ts';

/** Number of deliveries of all organizations in each status. */
export type WebhookCounts = Readonly<Record<DeliveryStatus, number>>;

/** Each status but `delivered` has a partial index. The delivered ones are the rest. */
const count = `
  with counted as (
    select (select count(*) from webhook_deliveries) as total,
      (select count(*) from webhook_deliveries where status = 'pending') as pending,
      (select count(*) from webhook_deliveries where status = 'aside') as aside,
      (select count(*) from webhook_deliveries where status = 'dead') as dead,
      (select count(*) from webhook_deliveries where status = 'lost') as lost
  )
  select pending, aside, dead, lost, total - pending - aside - dead - lost as delivered from counted`;

/** Counts the deliveries in the outbox. Pruned ones do not count. */
export async function countWebhooks({ query }: Pick<Provider, 'query'>): Promise<WebhookCounts> {
  const { rows } = await query.executeQuery<WebhookCounts>(CompiledQuery.raw(count));
  const [counts] = rows;
  if (counts === undefined) throw new Error('SQLite gave no row for an aggregate');
  return counts;
}
