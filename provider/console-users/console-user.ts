/** Console users: the tables of users, the companies that they see and their tokens, and the record of a user. */
import {
  blob,
  hidden,
  id,
  organization,
  reference,
  shown,
  table,
  text,
  textOrNull,
} from '../database/table.ts';
import { notFound } from '../http/http-error.ts';
import { records, type Connection } from '../list/records.ts';

export const companyGroupTable = table('company_groups', {
  id,
  organization_id: organization,
  created_at: text(),
});

export const groupMemberTable = table(
  'company_group_members',
  {
    group_id: reference('company_groups', 'on delete cascade'),
    company_id: reference('companies', 'on delete cascade'),
    organization_id: organization,
    /** The caller's identifier of the company in this group; null to use that of the company. */
    external_uid: textOrNull(),
  },
  { constraints: ['primary key (group_id, company_id)'], withoutRowid: true },
);

export const consoleUserTable = table(
  'console_users',
  {
    /** Sequence number in order of creation, for lists. */
    number: hidden(id),
    id: text(),
    organization_id: organization,
    group_id: hidden(reference('company_groups')),
    name: textOrNull(),
    email: text(),
    /** The e-mail address in lower case, for comparison. */
    email_key: hidden(text()),
    external_uid: textOrNull(),
    created_at: text(),
    updated_at: text(),
  },
  { constraints: ['unique (id)', 'unique (organization_id, email_key)'] },
);

export const consoleTokenTable = table(
  'console_tokens',
  {
    hash: blob(),
    console_user_id: text(),
    organization_id: organization,
    expires_at: text(),
  },
  {
    constraints: [
      'primary key (hash)',
      'foreign key (console_user_id) references console_users (id) on delete cascade',
    ],
    withoutRowid: true,
  },
);

export const consoleUsers = records({
  tables: [consoleUserTable],
  key: 'number',
  missing: (id) => notFound('Console user', id),
  select: (query) => query.selectFrom('console_users').selectAll(),
  json: (row) => shown(consoleUserTable, row),
  filters: { email: 'console_users.email', external_uid: 'console_users.external_uid' },
});

/** Reads the row of a console user, including columns that the record omits. @throws HttpError 404 */
export async function findConsoleUser(query: Connection, organization: number, id: string) {
  const [row] = await consoleUsers.rows(query, organization, 'id', [id]);
  if (row === undefined) throw consoleUsers.missing(id);
  return row;
}
