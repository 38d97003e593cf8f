import type { Endpoint } from '../contract/api/endpoint.ts';
import type { endpoints } from '../contract/api/endpoints.ts';
import type { AllOperation, IsPaged, Operation } from './operation.ts';

/**
 * The provider's REST API, typed from the contract: an operation for every
 * endpoint, and for every list of pages one that iterates over all of them
 * (`list` and `all`, `listSlips` and `allSlips`).
 */
export type Client = {
  readonly [Part in keyof typeof endpoints]: Operations<(typeof endpoints)[Part]>;
};

type Operations<Endpoints> = {
  readonly [Name in keyof Endpoints & string]: Endpoints[Name] extends Endpoint
    ? Operation<Endpoints[Name]>
    : never;
} & {
  readonly [
    Name in keyof Endpoints & string as AllName<Name, Endpoints[Name]>
  ]: Endpoints[Name] extends Endpoint ? AllOperation<Endpoints[Name]> : never;
};

type AllName<Name extends string, E> = E extends Endpoint
  ? IsPaged<E> extends true
    ? Name extends `list${infer What}`
      ? `all${What}`
      : never
    : never
  : never;
