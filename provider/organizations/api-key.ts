/** API keys of organizations. */
import { createHash } from 'node:crypto';
import type { Provider } from '../provider.ts';

/** Makes keys recognizable where they do not belong, as in a log or a repository. */
const PREFIX = 'fdc_';

/** Number of characters of a key that are kept and shown: the prefix and six of 43 random ones. */
const SHOWN_LENGTH = PREFIX.length + 6;

/** Hashes a key. Keys are random, so a plain digest is enough. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** Creates an API key for an organization and returns it. Only its hash is stored. */
export async function createApiKey(provider: Provider, organization: number): Promise<string> {
  const key = `${PREFIX}${provider.createSecret()}`;
  await provider.change(organization, ({ transaction, at }) =>
    transaction
      .insertInto('api_keys')
      .values({
        hash: hashKey(key),
        organization_id: organization,
        prefix: key.slice(0, SHOWN_LENGTH),
        created_at: at,
      })
      .execute(),
  );
  return key;
}

/** Finds the organization of a key; undefined for an unknown key. */
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
