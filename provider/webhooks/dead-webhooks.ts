import { sql } from 'kysely';
import { notFound, Refusal } from '../http/refusal.ts';
import type { Provider } from '../provider.ts';
import type { DeliveryStatus } from './webhook-tables.ts';

/** A webhook that was given up after its last try. */
export interface DeadWebhook {
  /** By which it can be sent again. */
  readonly id: number;
  readonly organization: number;
  readonly url: string;
  readonly type: string;
  readonly attempts: number;
  /** Why its last try failed. */
  readonly reason: string;
  /** When its change was made, ISO 8601. */
  readonly recordedAt: string;
  /** When it was given up, ISO 8601. */
  readonly endedAt: string;
}

/** Written into the query: by a bound value SQLite would not see that the index of dead ones fits. */
const dead = sql.lit<DeliveryStatus>('dead');

/** So many are put back at a time: nobody waits long for the database. */
const BATCH = 1_000;

/**
 * Those of all organizations, oldest first.
 *
 * @param after the id of the last one that was seen: what follows it is listed.
 */
export async function listDeadWebhooks(
  { query }: Pick<Provider, 'query'>,
  { after = 0, limit = 100 }: { readonly after?: number; readonly limit?: number } = {},
): Promise<readonly DeadWebhook[]> {
  const rows = await query
    .selectFrom('webhook_deliveries as delivery')
    .innerJoin('webhook_events as event', 'event.id', 'delivery.event_id')
    .innerJoin('webhook_endpoints as endpoint', 'endpoint.id', 'delivery.endpoint_id')
    .select([
      'delivery.id',
      'delivery.organization_id as organization',
      'endpoint.url',
      'event.type',
      'delivery.attempts',
      'delivery.failure',
      'event.created_at as recordedAt',
      'delivery.due_at as endedAt',
    ])
    .where('delivery.status', '=', dead)
    .where('delivery.id', '>', after)
    .orderBy('delivery.id')
    .limit(limit)
    .execute();
  return rows.map(({ failure, ...row }) => ({ ...row, reason: failure ?? '' }));
}

/**
 * Has a dead webhook tried again, from its first try on. It goes beside what its
 * lane has to send: what came later is not held up by it, and may be told by now.
 *
 * @throws Refusal 404, 409 when it is not dead.
 */
export async function resendDeadWebhook(provider: Provider, id: number): Promise<void> {
  const known = await provider.query
    .selectFrom('webhook_deliveries')
    .select('organization_id')
    .where('id', '=', id)
    .executeTakeFirst();
  if (known === undefined) throw notFound('Webhook', id);
  await provider.change(known.organization_id, async ({ transaction, at, touched }) => {
    const { numUpdatedRows } = await transaction
      .updateTable('webhook_deliveries')
      .set({ status: 'aside', attempts: 0, due_at: at })
      .where('id', '=', id)
      .where('status', '=', dead)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new Refusal(409, `Webhook ${String(id)} is not dead`);
    touched.add('webhooks aside');
  });
}

/** All that are dead now, of all organizations, as {@link resendDeadWebhook} does. @returns how many. */
export async function resendDeadWebhooks(provider: Provider): Promise<number> {
  const { query, clock } = provider;
  const now = new Date(clock.now()).toISOString();
  const concerned = await query
    .selectFrom('webhook_deliveries')
    .select('organization_id as id')
    .distinct()
    .where('status', '=', dead)
    .execute();
  let resent = 0;
  for (const { id } of concerned) {
    for (let batch = BATCH; batch === BATCH; resent += batch) batch = await resendBatch(provider, id, now);
  }
  return resent;
}

/** Those that had died by `now`, as many as go at a time. @returns how many. */
function resendBatch(provider: Provider, organization: number, now: string): Promise<number> {
  return provider.change(organization, async ({ transaction, at, touched }) => {
    const { numUpdatedRows } = await transaction
      .updateTable('webhook_deliveries')
      .set({ status: 'aside', attempts: 0, due_at: at })
      .where('id', 'in', (deliveries) =>
        deliveries
          .selectFrom('webhook_deliveries')
          .select('id')
          .where('status', '=', dead)
          .where('organization_id', '=', organization)
          .where('due_at', '<=', now)
          .orderBy('id')
          .limit(BATCH),
      )
      .executeTakeFirst();
    touched.add('webhooks aside');
    return Number(numUpdatedRows);
  });
}
