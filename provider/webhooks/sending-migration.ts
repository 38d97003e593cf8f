import type { Migration } from '../database/migration.ts';

export const addWebhookSending: Migration = {
  name: 'webhooks: how they are sent, and what became of them',
  sql: `
    alter table webhook_endpoints add column secret text;
    alter table webhook_endpoints add column lanes integer not null default 1;
    alter table webhook_endpoints add column message_prefix text not null default '';
    alter table webhook_deliveries add column lane integer not null default 0;
    alter table webhook_deliveries add column failure text;
    alter table webhook_deliveries add column repeats text;
    drop index webhook_deliveries_due;
    -- Only what is still to be sent: the rest is the larger part, and nobody looks for it in a hurry.
    create index webhook_deliveries_in_turn on webhook_deliveries (endpoint_id, lane, id) where status = 'pending';
    create index webhook_deliveries_aside on webhook_deliveries (endpoint_id, lane, due_at) where status = 'aside';
    -- What operators look for.
    create index webhook_deliveries_dead on webhook_deliveries (id) where status = 'dead';
    create index webhook_deliveries_lost on webhook_deliveries (id) where status = 'lost';
    -- What an event's last delivery leaves behind goes with it.
    create index webhook_deliveries_of_event on webhook_deliveries (event_id);
  `,
};
