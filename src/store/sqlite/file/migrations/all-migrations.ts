import { boundedKinds } from './bounded-kinds.ts';
import { firstTables } from './first-tables.ts';
import type { Migration } from './migration.ts';
import { quarantineQuota } from './quarantine-quota.ts';
import { trustedMessageIds } from './trusted-message-ids.ts';

/** In order. */
export const allMigrations: readonly Migration[] = [
  firstTables,
  quarantineQuota,
  trustedMessageIds,
  boundedKinds,
];
