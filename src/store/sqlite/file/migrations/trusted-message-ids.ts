import type { Migration } from './migration.ts';

/**
 * Whether the id of a quarantined message was its sender's own word. Of entries from before nobody knows, so
 * their content decides when they are released.
 */
export const trustedMessageIds: Migration = {
  level: 3,
  name: 'trusted message ids',
  sql: 'alter table quarantine add column message_trusted integer not null default 0;',
};
