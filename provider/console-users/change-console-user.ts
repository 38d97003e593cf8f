/** Changes console users. */
import type { Selectable } from 'kysely';
import type { Change } from '../change.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { hashKey } from '../organizations/api-key.ts';
import { recordChange } from '../webhooks/record-change.ts';
import { addToGroup, type NamedCompany } from './company-group.ts';
import { consoleUsers, findConsoleUser } from './console-user.ts';

type Row = Selectable<ProviderTables['console_users']>;

/** Validity of a token, in hours. */
const TOKEN_HOURS = 12;

export interface ConsoleSignIn {
  readonly email: string;
  readonly name?: string | undefined;
  readonly external_uid?: string | undefined;
  readonly companies: readonly NamedCompany[];
}

/** Unguessable values that the caller draws. */
export interface DrawnSecrets {
  /** Id of the console user, if the sign-in creates one. */
  readonly id: string;
  /** Token of this sign-in. The database keeps only its hash. */
  readonly token: string;
}

/**
 * Signs a console user in. The first sign-in creates the user with a group of
 * companies. A later one adds companies to the group and updates the name and the
 * external identifier if they differ (specification, Sign-in rules).
 *
 * @throws HttpError 400 when the organization has no company with one of the CNPJs.
 */
export async function signConsoleUserIn(
  change: Change,
  { companies, ...person }: ConsoleSignIn,
  { id, token }: DrawnSecrets,
): Promise<void> {
  const existing = await findByEmail(change, person.email);
  const user =
    existing === undefined ? await create(change, id, person) : await update(change, existing, person);
  await addToGroup(change, user.group_id, companies);
  await change.transaction
    .insertInto('console_tokens')
    .values({
      hash: hashKey(token),
      console_user_id: user.id,
      organization_id: change.organization,
      expires_at: new Date(Date.parse(change.at) + TOKEN_HOURS * 3_600_000).toISOString(),
    })
    .execute();
}

type Person = Omit<ConsoleSignIn, 'companies'>;

async function create(
  { transaction, ...change }: Change,
  id: string,
  { email, name, external_uid }: Person,
): Promise<Row> {
  const { organization, at } = change;
  const group = await transaction
    .insertInto('company_groups')
    .values({ organization_id: organization, created_at: at })
    .returning('id')
    .executeTakeFirstOrThrow();
  const user = await transaction
    .insertInto('console_users')
    .values({
      id,
      organization_id: organization,
      group_id: group.id,
      name: name ?? null,
      email,
      email_key: email.toLowerCase(),
      external_uid: external_uid ?? null,
      created_at: at,
      updated_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordChange({ transaction, ...change }, 'console-user.created', consoleUsers.json(user, 'webhook'));
  return user;
}

async function update(change: Change, existing: Row, person: Person): Promise<Row> {
  const name = person.name ?? existing.name;
  const externalUid = person.external_uid ?? existing.external_uid;
  if (name === existing.name && externalUid === existing.external_uid) return existing;
  const user = await change.transaction
    .updateTable('console_users')
    .set({ name, external_uid: externalUid, updated_at: change.at })
    .where('number', '=', existing.number)
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordChange(change, 'console-user.updated', consoleUsers.json(user, 'webhook'));
  return user;
}

function findByEmail({ transaction, organization }: Change, email: string): Promise<Row | undefined> {
  return transaction
    .selectFrom('console_users')
    .selectAll()
    .where('organization_id', '=', organization)
    .where('email_key', '=', email.toLowerCase())
    .executeTakeFirst();
}

/** Removes a console user, its group and its tokens, and emits `console-user.deleted`. @throws HttpError 404 */
export async function removeConsoleUser(change: Change, id: string): Promise<void> {
  const { transaction, organization } = change;
  const user = await findConsoleUser(transaction, organization, id);
  await transaction.deleteFrom('console_users').where('number', '=', user.number).execute();
  await transaction.deleteFrom('company_groups').where('id', '=', user.group_id).execute();
  await recordChange(change, 'console-user.deleted', consoleUsers.json(user, 'webhook'));
}
