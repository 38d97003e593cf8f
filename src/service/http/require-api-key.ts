import type { Context } from 'hono';
import { organizationOfKey } from '../organizations/api-key.ts';
import type { Service } from '../service.ts';
import { Refusal } from './refusal.ts';

/** The organization whose key the request carries (specification, Authentication 1). @throws Refusal 401 */
export async function requireApiKey(c: Context, service: Service): Promise<number> {
  const key = c.req.header('x-api-key');
  if (key === undefined)
    throw new Refusal(401, 'Send the API key of the organization in the header x-api-key');
  const organization = await organizationOfKey(service, key);
  if (organization === undefined) throw new Refusal(401, 'The API key in the header x-api-key is not known');
  return organization;
}
