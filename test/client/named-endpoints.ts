import type { Endpoint } from '../../src/contract/api/endpoint.ts';
import { endpoints } from '../../src/contract/api/endpoints.ts';

interface Tree {
  readonly [name: string]: Endpoint | Tree;
}

/** Every endpoint with its name in the client, as in `charges.paymentSlips.request`. */
export const namedEndpoints: readonly (readonly [string, Endpoint])[] = namedIn(endpoints, '');

function namedIn(tree: Tree, prefix: string): readonly (readonly [string, Endpoint])[] {
  return Object.entries(tree).flatMap(([name, value]) =>
    isEndpoint(value) ? [[`${prefix}${name}`, value] as const] : namedIn(value, `${prefix}${name}.`),
  );
}

function isEndpoint(value: Endpoint | Tree): value is Endpoint {
  return typeof value['operationId'] === 'string';
}
