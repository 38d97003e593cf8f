/** The migrations of list revisions, which only earlier versions kept. */
import type { Migration } from '../database/migration.ts';

/** Keeps its place in the order of migrations. It once made what {@link dropListRevisions} drops. */
export const formerListRevisions: Migration = { name: 'list revisions (no longer made)', sql: '' };

/** Tables whose changes earlier versions counted by triggers. */
const countedTables = [
  'antt_violation_tickets',
  'antt_violations',
  'appeals',
  'charge_payment_slips',
  'charges',
  'companies',
  'company_group_members',
  'console_users',
  'drivers',
  'logins',
  'sne_registrations',
  'traffic_violation_tickets',
  'traffic_violations',
  'users',
];

/** Lists are paged by LIMIT and OFFSET. New files have nothing to drop. */
export const dropListRevisions: Migration = {
  name: 'without the tables and triggers of list revisions',
  sql: [
    ...countedTables.flatMap((table) =>
      ['inserted', 'updated', 'deleted'].map((change) => `drop trigger if exists ${table}_${change};`),
    ),
    'drop table if exists list_changes;',
    'drop table if exists list_revisions;',
  ].join('\n'),
};
