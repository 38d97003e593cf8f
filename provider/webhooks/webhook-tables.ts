/** The tables of webhooks. */
import type { Generated } from 'kysely';
import type { Migration } from '../database/migration.ts';

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

/** Endpoints, events, and one delivery per event and endpoint: the webhook outbox. */
export interface WebhookTables {
  webhook_endpoints: {
    id: Generated<number>;
    organization_id: number;
    url: string;
    /** Signing secret of Standard Webhooks, `whsec_<base64>`; null for unsigned webhooks. */
    secret: string | null;
    /** Number of webhooks sent in parallel. */
    lanes: Generated<number>;
    /** Prefix that keeps message ids unique across provider databases. */
    message_prefix: Generated<string>;
    created_at: string;
  };
  webhook_events: {
    id: Generated<number>;
    organization_id: number;
    type: string;
    /** Request body, as sent. */
    body: string;
    created_at: string;
  };
  webhook_deliveries: {
    id: Generated<number>;
    organization_id: number;
    endpoint_id: number;
    event_id: number;
    /** From 0 to `lanes` - 1 of the endpoint. All events of a record share a lane. */
    lane: Generated<number>;
    status: DeliveryStatus;
    attempts: Generated<number>;
    /** Time of the next attempt; of the last one, once the delivery has ended. */
    due_at: string;
    /** Why the last attempt failed. */
    failure: string | null;
    /** Set on a delivery that chaos added. */
    repeats: RepeatKind | null;
  };
}

export const addWebhooks: Migration = {
  name: 'webhook endpoints, events and deliveries',
  sql: `
    create table webhook_endpoints (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      url text not null,
      created_at text not null,
      unique (organization_id, url)
    );
    create table webhook_events (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      type text not null,
      body text not null,
      created_at text not null
    );
    create table webhook_deliveries (
      id integer primary key autoincrement,
      organization_id integer not null references organizations (id),
      endpoint_id integer not null references webhook_endpoints (id) on delete cascade,
      event_id integer not null references webhook_events (id),
      status text not null,
      attempts integer not null default 0,
      due_at text not null
    );
    create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at) where status = 'pending';
  `,
};

export const addWebhookSending: Migration = {
  name: 'webhooks: signing, lanes and results',
  sql: `
    alter table webhook_endpoints add column secret text;
    alter table webhook_endpoints add column lanes integer not null default 1;
    alter table webhook_endpoints add column message_prefix text not null default '';
    alter table webhook_deliveries add column lane integer not null default 0;
    alter table webhook_deliveries add column failure text;
    alter table webhook_deliveries add column repeats text;
    drop index webhook_deliveries_due;
    -- Partial indexes: delivered rows are the large majority and need none.
    create index webhook_deliveries_in_turn on webhook_deliveries (endpoint_id, lane, id) where status = 'pending';
    create index webhook_deliveries_aside on webhook_deliveries (endpoint_id, lane, due_at) where status = 'aside';
    create index webhook_deliveries_dead on webhook_deliveries (id) where status = 'dead';
    create index webhook_deliveries_lost on webhook_deliveries (id) where status = 'lost';
    -- Pruning deletes an event with its last delivery.
    create index webhook_deliveries_of_event on webhook_deliveries (event_id);
  `,
};
