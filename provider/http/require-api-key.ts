import type { Context } from 'hono';
import type { Endpoint } from '../../src/contract/api/endpoint.ts';
import { organizationOfKey } from '../organizations/api-key.ts';
import type { Provider } from '../provider.ts';
import { Refusal } from './refusal.ts';

/**
 * The organization whose key the request carries (specification, Authentication 1 and 2).
 *
 * @throws Refusal 401
 */
export async function requireApiKey(
  c: Context,
  provider: Provider,
  { keyHeaders }: Pick<Endpoint, 'keyHeaders'>,
): Promise<number> {
  const header = keyHeaders.find((name) => c.req.header(name) !== undefined);
  const key = header && c.req.header(header);
  if (key === undefined)
    throw new Refusal(401, `Send the API key of the organization in the header ${keyHeaders.join(' or ')}`);
  const organization = await organizationOfKey(provider, key);
  if (organization === undefined)
    throw new Refusal(401, `The API key in the header ${String(header)} is not known`);
  return organization;
}
