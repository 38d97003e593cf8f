/** Individual users and their driver licences: their tables, their records and the list. */
import type { Kysely } from 'kysely';
import { userDriverLicense } from '../../src/contract/record/driver-license.ts';
import type { linkStatuses } from '../../src/contract/record/user.ts';
import {
  hidden,
  id,
  organization,
  reference,
  shown,
  table,
  text,
  textOrNull,
  type TablesOf,
} from '../database/table.ts';
import { noLicense } from '../driver-licenses/driver-license.ts';
import { HttpError, notFound } from '../http/http-error.ts';
import { records, type Connection } from '../list/records.ts';
import { withinPeriod } from '../list/matching.ts';
import { loginBlock, loginColumns, loginTable } from '../login/login.ts';
import { sneBlock, sneColumns, sneTable } from '../sne/sne.ts';

export type LinkStatus = (typeof linkStatuses)[number];

export const userTable = table(
  'users',
  {
    id,
    organization_id: organization,
    tax_id: text(),
    name: text(),
    email: textOrNull(),
    phone: textOrNull(),
    external_uid: textOrNull(),
    status: text<LinkStatus>(),
    created_at: hidden(text()),
    updated_at: hidden(text()),
  },
  {
    constraints: [`check (status in ('active', 'inactive', 'pending'))`, 'unique (organization_id, tax_id)'],
    also: 'create index users_by_external_uid on users (organization_id, external_uid);',
  },
);

export const users = records({
  tables: [userTable, loginTable, sneTable],
  missing: (id) => notFound('User', id),
  select: (query) =>
    joined(query)
      .selectAll('users')
      .select([...loginColumns, ...sneColumns]),
  json: (row) => ({
    ...shown(userTable, row),
    sne: sneBlock(row),
    login: loginBlock(row),
    created_at: row.created_at,
    updated_at: row.updated_at,
  }),
  filters: {
    name: 'users.name',
    tax_id: 'users.tax_id',
    email: 'users.email',
    'sne.status': 'sne_registrations.status',
    status: 'users.status',
    external_uid: 'users.external_uid',
    'login.status': 'logins.status',
    'login.step': 'logins.step',
    'login.connected': 'logins.connected',
    'login.connected_at': withinPeriod('logins.connected_at'),
    'login.disconnected_at': withinPeriod('logins.disconnected_at'),
  },
  list: (query) => joined(query),
});

/** Users with their login and their SNE registration. */
function joined(query: Kysely<TablesOf<typeof userTable | typeof loginTable | typeof sneTable>>) {
  return query
    .selectFrom('users')
    .innerJoin('logins', (join) =>
      join.onRef('logins.owner_id', '=', 'users.id').on('logins.owner_kind', '=', 'user'),
    )
    .innerJoin('sne_registrations', (join) =>
      join
        .onRef('sne_registrations.owner_id', '=', 'users.id')
        .on('sne_registrations.owner_kind', '=', 'user'),
    );
}

/**
 * Checks that the user's data may be read (specification, Authentication 5).
 *
 * @throws HttpError 403 when the user's link with the organization is inactive.
 */
export function requireActiveLink(user: { readonly id: number; readonly status: string }): void {
  if (user.status === 'inactive')
    throw new HttpError(403, `The link of user ${String(user.id)} with the organization is inactive`);
}

export const userLicenseTable = table(
  'user_driver_licenses',
  {
    id,
    organization_id: organization,
    user_id: hidden(reference('users', 'on delete cascade')),
    /** The record without `id`, `user` and `created_at`, as JSON: no query filters by its fields. */
    record: hidden(text()),
    created_at: text(),
  },
  { constraints: ['unique (user_id)'] },
);

const userLicenses = records({
  tables: [userLicenseTable, userTable],
  missing: noLicense,
  select: (query) =>
    query
      .selectFrom('user_driver_licenses')
      .innerJoin('users', 'users.id', 'user_driver_licenses.user_id')
      .selectAll('user_driver_licenses')
      .select('users.external_uid'),
  json: ({ id, record, user_id, external_uid, created_at }) =>
    userDriverLicense.parse({
      ...JSON.parse(record),
      id,
      user: { id: user_id, external_uid },
      created_at,
    }),
});

/** Reads the driver licence of a user. @throws HttpError 404 without user or licence; 403 while the link is inactive. */
export async function readUserDriverLicense(query: Connection, organization: number, id: number) {
  requireActiveLink(await users.read(query, organization, id));
  const [license] = await userLicenses.of(query, organization, 'user_id', id);
  if (license === undefined) throw noLicense();
  return license;
}
