import { createHash } from 'node:crypto';
import type { Provider } from '../provider.ts';

/** So that a key is recognised where it should not be, in a log or a repository. */
const PREFIX = 'fdc_';

/** A key is random through and through, so a plain digest of it tells nothing. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** Makes a key for an organization and returns it: it is kept hashed and cannot be shown again. */
export async function createApiKey(provider: Provider, organization: number): Promise<string> {
  const key = `${PREFIX}${provider.drawSecret()}`;
  await provider.change(organization, ({ transaction, at }) =>
    transaction
      .insertInto('api_keys')
      .values({ hash: hashKey(key), organization_id: organization, created_at: at })
      .execute(),
  );
  return key;
}

/** Which organization's it is; undefined when it is nobody's. */
export async function organizationOfKey(
  { query }: Pick<Provider, 'query'>,
  key: string,
): Promise<number | undefined> {
  const row = await query
    .selectFrom('api_keys')
    .select('organization_id')
    .where('hash', '=', hashKey(key))
    .executeTakeFirst();
  return row?.organization_id;
}
