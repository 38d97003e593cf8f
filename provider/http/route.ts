/** Routes of the API: key, parameters, body and response by the contract. */
import type { Context } from 'hono';
import type { ResponseOf, Endpoint } from '../../src/contract/api/endpoint.ts';
import type { Provider } from '../provider.ts';
import { requestReader, type ReadRequest } from './read-request.ts';
import { organizationOfKey } from '../organizations/api-key.ts';
import { HttpError } from './http-error.ts';

/** A request that fits its endpoint, of an organization whose key it carried. */
export type ProviderRequest<E extends Endpoint> = ReadRequest<E> & { readonly organization: number };

/** An endpoint and its handler. */
export interface Route {
  readonly endpoint: Endpoint;
  /** @throws HttpError */
  respond(this: void, c: Context, provider: Provider): Promise<Response>;
}

/**
 * Joins an endpoint and its handler: checks the key, validates the request,
 * then calls the handler.
 *
 * @param handle returns the response body; a HttpError that it throws becomes the response.
 */
export function route<E extends Endpoint>(
  endpoint: E,
  handle: (request: ProviderRequest<E>, provider: Provider, c: Context) => Promise<ResponseOf<E>>,
): Route {
  const read = requestReader(endpoint);
  const { status } = endpoint.response;
  return {
    endpoint,
    async respond(c, provider) {
      const organization = await requireApiKey(c, provider, endpoint);
      const request = await read(c);
      const body = await handle({ ...request, organization }, provider, c);
      if (body instanceof Response) return body;
      return status === 204 ? c.body(null, 204) : c.json(body, status);
    },
  };
}

/**
 * Returns the organization of the request's API key (specification, Authentication 1 and 2).
 *
 * @throws HttpError 401 when the key is missing or unknown.
 */
async function requireApiKey(
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
