/** The tables of the webhook outbox: endpoints, events, and one delivery per event and endpoint. */
import {
  id,
  integer,
  organization,
  reference,
  table,
  text,
  textOrNull,
  withDefault,
} from '../database/table.ts';

/**
 * Status of a delivery:
 * - `pending`: waits behind the deliveries of its lane that were recorded before it.
 * - `aside`: waits for its due time outside the order of its lane (delayed or repeated by chaos, or resent).
 * - `delivered`: the receiver responded 2xx.
 * - `dead`: the last attempt failed. It is kept and can be resent.
 * - `lost`: chaos dropped it for good.
 */
export const deliveryStatuses = ['pending', 'aside', 'delivered', 'dead', 'lost'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** How chaos repeats a delivery: `duplicate` with the same message id, `resigned` with a new id and signature. */
export type RepeatKind = 'duplicate' | 'resigned';

export const webhookEndpointTable = table(
  'webhook_endpoints',
  {
    id,
    organization_id: organization,
    url: text(),
    /** Signing secret of Standard Webhooks, `whsec_<base64>`; null for unsigned webhooks. */
    secret: textOrNull(),
    /** Number of webhooks sent in parallel. */
    lanes: withDefault(integer(), '1'),
    /** Prefix that keeps message ids unique across provider databases. */
    message_prefix: withDefault(text(), "''"),
    created_at: text(),
  },
  { constraints: ['unique (organization_id, url)'] },
);

export const webhookEventTable = table('webhook_events', {
  id,
  organization_id: organization,
  type: text(),
  /** Request body, as sent. */
  body: text(),
  created_at: text(),
});

export const webhookDeliveryTable = table(
  'webhook_deliveries',
  {
    id,
    organization_id: organization,
    endpoint_id: reference('webhook_endpoints', 'on delete cascade'),
    event_id: reference('webhook_events'),
    /** From 0 to `lanes` - 1 of the endpoint. All events of a record share a lane. */
    lane: withDefault(integer(), '0'),
    status: text<DeliveryStatus>(),
    attempts: withDefault(integer(), '0'),
    /** Time of the next attempt; of the last one, once the delivery has ended. */
    due_at: text(),
    /** Why the last attempt failed. */
    failure: textOrNull(),
    /** Set on a delivery that chaos added. */
    repeats: textOrNull<RepeatKind>(),
  },
  {
    also: `
    -- Partial indexes: delivered rows are the large majority and need none.
    create index webhook_deliveries_in_turn on webhook_deliveries (endpoint_id, lane, id) where status = 'pending';
    create index webhook_deliveries_aside on webhook_deliveries (endpoint_id, lane, due_at) where status = 'aside';
    create index webhook_deliveries_dead on webhook_deliveries (id) where status = 'dead';
    create index webhook_deliveries_lost on webhook_deliveries (id) where status = 'lost';
    -- Pruning deletes an event with its last delivery.
    create index webhook_deliveries_of_event on webhook_deliveries (event_id);`,
  },
);
