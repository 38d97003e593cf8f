/** The types of the client's operations, from the endpoints of the contract. */
import type { z } from 'zod';
import type { ResponseOf, Endpoint, ParamsOf, QueryOf } from '../contract/api/endpoint.ts';
import type { Filters, Operator } from '../contract/api/filter.ts';
import type { endpoints } from '../contract/api/endpoints.ts';

/**
 * The provider's REST API, typed from the contract: one operation per endpoint, named by the resource, its part
 * if there is one, and a verb (`client.charges.paymentSlips.request`). Beside each paged `list`, `all` iterates
 * over the records of all pages.
 */
export type Client = {
  readonly [Part in keyof typeof endpoints]: Operations<Part>;
};

/** Options of a single call. */
export interface CallOptions {
  /** Ends the call, including its waits between attempts. The call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for each attempt; overrides the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds for all attempts and waits; overrides the client's `totalTimeoutMs`. A stream has no such limit. */
  readonly totalTimeoutMs?: number | undefined;
}

/** Selects a page of a list. Without `page` and `size` the provider decides. */
export interface PageQuery<F extends Filters> {
  // `never` for a list without filters: the type of an empty object would accept anything.
  readonly filters?: ([keyof F] extends [never] ? never : FiltersOf<F>) | undefined;
  /** The number of the page, from 1. */
  readonly page?: number | undefined;
  /** Records per page, at most 100 (specification, Limits). */
  readonly size?: number | undefined;
}

/**
 * The filters of a list as nested objects, `{company: {id: {$eq: 12}}}`. Only the
 * fields, operators and values that the endpoint supports are allowed.
 */
export type FiltersOf<F extends Filters> = F extends Filters
  ? {
      readonly [Name in First<keyof F & string>]?:
        | (Name extends keyof F
            ? Conditions<F[Name]['operators'][number], z.output<F[Name]['value']>>
            : FiltersOf<Below<F, Name>>)
        | undefined;
    }
  : // Never so. A conditional type has no name of its own, so the compiler prints the fields.
    never;

/**
 * Calls an endpoint. Arguments are the path's parameters in order, the body,
 * the query and the options, as far as the endpoint has them.
 *
 * @throws ClientError; PortariaError `invalid-argument` before anything is sent.
 */
export type Operation<E extends Endpoint> = (
  ...given: [
    ...Arguments<E>,
    ...([Queried<E>] extends [never] ? [] : [query?: Queried<E>]),
    options?: CallOptions,
  ]
) => ResultOf<E>;

/** Iterates over the records of all pages, and requests a page when it is needed. Pages have 100 records by default. */
export type AllOperation<E extends Endpoint> = (
  ...given: [...Arguments<E>, query?: Omit<Queried<E>, 'page'>, options?: CallOptions]
) => AsyncIterable<ItemOf<E>>;

/**
 * The operations of a resource, or of a part of it. Its parameter is the name, as in `charges.paymentSlips`, so
 * that the compiler's messages show it instead of the declarations.
 */
export type Operations<Path extends string> = {
  readonly [Name in keyof DeclaredAt<Path> & string]: DeclaredAt<Path>[Name] extends Endpoint
    ? Operation<DeclaredAt<Path>[Name]>
    : Operations<`${Path}.${Name}`>;
} & {
  readonly [
    Name in keyof DeclaredAt<Path> & string as AllName<Name, DeclaredAt<Path>[Name]>
  ]: DeclaredAt<Path>[Name] extends Endpoint ? AllOperation<DeclaredAt<Path>[Name]> : never;
};

/** The declarations with this name. */
type DeclaredAt<Path extends string, Tree = typeof endpoints> = Path extends `${infer Name}.${infer Rest}`
  ? Name extends keyof Tree
    ? DeclaredAt<Rest, Tree[Name]>
    : never
  : Path extends keyof Tree
    ? Tree[Path]
    : never;

type AllName<Name extends string, E> = E extends Endpoint
  ? IsPaged<E> extends true
    ? Name extends 'list'
      ? 'all'
      : never
    : never
  : never;

type IsPaged<E extends Endpoint> = E['filters'] extends Filters
  ? true
  : 'page_size' extends OwnName<E>
    ? true
    : false;

/** The conditions on one field. Its parameters are what the compiler's messages show. */
type Conditions<Allowed extends Operator, Value> = { readonly [Name in Allowed]?: Value | undefined };

type First<Path extends string> = Path extends `${infer Name}.${string}` ? Name : Path;

/** The filters whose path begins with `Name`, keyed by the rest of the path. */
type Below<F extends Filters, Name extends string> = {
  readonly [Path in keyof F & string as Path extends `${Name}.${infer Rest}` ? Rest : never]: F[Path];
};

/** The result of an endpoint, without a `{data}` wrapper around a single record. */
type ResultOf<E extends Endpoint> = E['response'] extends { readonly type: 'text/event-stream' }
  ? AsyncIterable<StreamEventOf<E>>
  : Promise<E['response']['status'] extends 204 ? undefined : Unwrapped<ResponseOf<E>>>;

type Unwrapped<Answer> = [keyof Answer] extends ['data']
  ? Answer extends { readonly data: infer Data }
    ? Data
    : Answer
  : Answer;

export type StreamEventOf<E extends Endpoint> = {
  readonly [Name in keyof E['response']['events'] & string]: {
    readonly event: Name;
    readonly data: DataOf<E['response']['events'][Name]>;
  };
}[keyof E['response']['events'] & string];

type DataOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : never;

/** A record of a paged list. */
type ItemOf<E extends Endpoint> =
  ResponseOf<E> extends { readonly data: readonly (infer Item)[] } ? Item : never;

/** The parameter names of a path, in order. */
type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? [Name, ...PathNames<Rest>]
  : [];

type PathArguments<Params, Names> = Names extends [infer Name extends keyof Params, ...infer Rest]
  ? [id: Params[Name], ...PathArguments<Params, Rest>]
  : [];

/** The parameters of the path one by one, then the body. */
type Arguments<E extends Endpoint> = [
  ...PathArguments<ParamsOf<E>, PathNames<E['path']>>,
  ...(E['body'] extends z.ZodType ? BodyArgument<z.input<E['body']>> : []),
];

type BodyArgument<Body> = undefined extends Body ? [body?: Body] : [body: Body];

/** The query of a paged list, or the endpoint's own parameters; never when it has neither. */
type Queried<E extends Endpoint> = E['filters'] extends Filters
  ? PageQuery<E['filters']>
  : [OwnName<E>] extends [never]
    ? never
    : { readonly [Name in OwnName<E>]?: QueryOf<E>[Name] | undefined };

/** The names of the endpoint's own query parameters. */
type OwnName<E extends Endpoint> = keyof E['query']['shape'] & keyof QueryOf<E>;
