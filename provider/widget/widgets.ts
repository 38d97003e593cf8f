/** Adds and lists widgets. */
import type { Change } from '../change.ts';
import type { Provider } from '../provider.ts';

/** Adds a widget to an organization. */
export async function addWidget(
  { transaction, organization, at }: Pick<Change, 'transaction' | 'organization' | 'at'>,
  uid: string,
): Promise<void> {
  await transaction
    .insertInto('widgets')
    .values({ uid, organization_id: organization, created_at: at })
    .execute();
}

/** Reads the uids of an organization's widgets, oldest first. */
export async function widgetsOf(
  { query }: Pick<Provider, 'query'>,
  organization: number,
): Promise<readonly string[]> {
  const rows = await query
    .selectFrom('widgets')
    .select('uid')
    .where('organization_id', '=', organization)
    .orderBy('created_at')
    .execute();
  return rows.map(({ uid }) => uid);
}
