/** Lists and revokes API keys. */
import type { Provider } from '../provider.ts';
import { hashKey } from './api-key.ts';

/** An API key as an operator may see it. The key itself is not stored. */
export interface KnownKey {
  readonly organization: string;
  /** The first eight hexadecimal digits of the key's SHA-256. */
  readonly id: string;
  /** The first characters of the key. */
  readonly prefix: string;
  /** ISO 8601. */
  readonly created_at: string;
}

const ID_LENGTH = 8;

/** Lists the keys of one organization, or of all of them, oldest first. */
export async function listApiKeys(
  { query }: Pick<Provider, 'query'>,
  organization?: number,
): Promise<readonly KnownKey[]> {
  return (await readKeys(query, organization)).map(({ hash: _, ...key }) => key);
}

/**
 * Revokes the key that `text` names: its id, the beginning of the key, or the whole key. The key is rejected from
 * the next request on; a synchronization stream that is open goes on.
 *
 * @returns the keys that `text` names. Unless it is exactly one, none is revoked.
 */
export async function revokeApiKey(
  { query }: Pick<Provider, 'query'>,
  text: string,
): Promise<readonly KnownKey[]> {
  // One transaction: another command may revoke or create keys meanwhile.
  return query.transaction().execute(async (transaction) => {
    const fitting = (await readKeys(transaction)).filter((key) => isNamedBy(key, text));
    const [found, ...others] = fitting;
    if (found !== undefined && others.length === 0)
      await transaction.deleteFrom('api_keys').where('hash', '=', found.hash).execute();
    return fitting.map(({ hash: _, ...key }) => key);
  });
}

type StoredKey = KnownKey & { readonly hash: Uint8Array };

function isNamedBy({ id, prefix, hash }: StoredKey, given: string): boolean {
  // As the list shows it.
  const text = given.replace(/…$/u, '');
  if (text === id || hashKey(text).equals(hash)) return true;
  return text.length >= MIN_PREFIX_LENGTH && prefix.startsWith(text);
}

/** Below it, `fdc_` would name every key. */
const MIN_PREFIX_LENGTH = 'fdc_xx'.length;

async function readKeys(
  query: Pick<Provider, 'query'>['query'],
  organization?: number,
): Promise<readonly StoredKey[]> {
  const keys = query
    .selectFrom('api_keys')
    .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
    .select(['api_keys.hash', 'organizations.name', 'api_keys.prefix', 'api_keys.created_at'])
    .orderBy('api_keys.created_at')
    .orderBy('organizations.id')
    .orderBy('api_keys.hash');
  const rows = await (
    organization === undefined ? keys : keys.where('organization_id', '=', organization)
  ).execute();
  return rows.map(({ name, hash, ...key }) => ({
    organization: name,
    id: Buffer.from(hash).toString('hex').slice(0, ID_LENGTH),
    ...key,
    hash,
  }));
}
