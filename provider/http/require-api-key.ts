/** Authenticates requests by their API keys. */
import type { Context } from 'hono';
import type { Endpoint } from '../../src/contract/api/endpoint.ts';
import { organizationOfKey } from '../organizations/api-key.ts';
import type { Provider } from '../provider.ts';
import { HttpError } from './http-error.ts';

/**
 * Returns the organization of the request's API key (specification, Authentication 1 and 2).
 *
 * @throws HttpError 401 when the key is missing or unknown.
 */
export async function requireApiKey(
  c: Context,
  provider: Provider,
  { keyHeaders }: Pick<Endpoint, 'keyHeaders'>,
): Promise<number> {
  const header = keyHeaders.find((name) => c.req.header(name) !== undefined);
  const key = header && c.req.header(header);
  if (key === undefined)
    throw new HttpError(401, `Send the API key of the organization in the header ${keyHeaders.join(' or ')}`);
  const organization = await organizationOfKey(provider, key);
  if (organization === undefined) throw new HttpError(401, `unknown API key in the header ${String(header)}`);
  return organization;
}
