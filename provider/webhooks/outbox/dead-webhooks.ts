/** Lists and resends dead webhooks. */
import { sql } from 'kysely';
import { notFound, HttpError } from '../../http/http-error.ts';
import type { Provider } from '../../provider.ts';
import type { DeliveryStatus } from '../webhook-tables.ts';

/** A delivery whose last attempt failed. */
export interface DeadWebhook {
  /** Id of the delivery, for resending. */
  readonly id: number;
  readonly organization: number;
  readonly url: string;
  readonly type: string;
  readonly attempts: number;
  /** Why the last attempt failed. */
  readonly reason: string;
  /** Time of the change, ISO 8601. */
  readonly recordedAt: string;
  /** Time of the last attempt, ISO 8601. */
  readonly endedAt: string;
}

/** A literal: SQLite does not use a partial index for a bound value. */
const dead = sql.lit<DeliveryStatus>('dead');

/** Deliveries put back in one transaction, so that requests do not wait long for the database. */
const BATCH = 1_000;

/**
 * Lists the dead deliveries of all organizations, oldest first.
 *
 * @param options.after lists those with a greater id.
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
 * Puts a dead delivery back into the outbox, with all its attempts. It is sent outside
 * the order of its lane: later deliveries do not wait for it, and may be delivered already.
 *
 * @throws HttpError 404; 409 when the delivery is not dead.
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
    if (numUpdatedRows === 0n) throw new HttpError(409, `Webhook ${String(id)} is not dead`);
    touched.add('webhooks aside');
  });
}

/** Resends all deliveries that are dead now, of all organizations. @returns their number. */
export async function resendDeadWebhooks(provider: Provider): Promise<number> {
  const { query, clock } = provider;
  const now = new Date(clock.now()).toISOString();
  const affected = await query
    .selectFrom('webhook_deliveries')
    .select('organization_id as id')
    .distinct()
    .where('status', '=', dead)
    .execute();
  let resent = 0;
  for (const { id } of affected) {
    let batch: number;
    do {
      batch = await resendBatch(provider, id, now);
      resent += batch;
    } while (batch === BATCH);
  }
  return resent;
}

/** Resends up to {@link BATCH} deliveries that were dead by `now`. @returns their number. */
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
