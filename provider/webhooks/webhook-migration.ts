import type { Migration } from '../database/migration.ts';

export const addWebhooks: Migration = {
  name: 'webhooks: who gets them, what is sent, and how far that is',
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
    -- Only what is still to be sent: the rest is the larger part, and nobody looks for it in a hurry.
    create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at) where status = 'pending';
  `,
};
