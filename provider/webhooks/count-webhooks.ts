import { CompiledQuery } from 'kysely';
import type { Provider } from '../provider.ts';
import type { DeliveryStatus } from './webhook-tables.ts';

/** How many of all organizations there are in each status; each endpoint's counts for itself. */
export type WebhookCounts = Readonly<Record<DeliveryStatus, number>>;

/** Those in one status have an index each; delivered ones are the rest, which is cheaper than an index of most rows. */
const count = `
  with counted as (
    select (select count(*) from webhook_deliveries) as total,
      (select count(*) from webhook_deliveries where status = 'pending') as pending,
      (select count(*) from webhook_deliveries where status = 'aside') as aside,
      (select count(*) from webhook_deliveries where status = 'dead') as dead,
      (select count(*) from webhook_deliveries where status = 'lost') as lost
  )
  select pending, aside, dead, lost, total - pending - aside - dead - lost as delivered from counted`;

/** What is in the outbox, delivered ones as long as they are kept. */
export async function countWebhooks({ query }: Pick<Provider, 'query'>): Promise<WebhookCounts> {
  const { rows } = await query.executeQuery<WebhookCounts>(CompiledQuery.raw(count));
  const [counts] = rows;
  if (counts === undefined) throw new Error('SQLite gave no row for an aggregate');
  return counts;
}
