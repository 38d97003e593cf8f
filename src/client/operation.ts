import type { z } from 'zod';
import type { ResponseOf, Endpoint, ParamsOf, QueryOf } from '../contract/api/endpoint.ts';
import type { FilterField, Filters } from '../contract/api/filter.ts';

/** What any call may be told. */
export interface CallOptions {
  /** Ends the call, waits between tries included; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for each try, in place of the client's own. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds for all tries and the waits between them, likewise. A stream, which may last, has no such limit. */
  readonly totalTimeoutMs?: number | undefined;
}

/** Which part of a list. Without them the provider decides. */
export interface PageQuery<F extends Filters> {
  /** Not there for a list that takes none: an empty object's type would let anything pass. */
  readonly filters?: ([keyof F] extends [never] ? never : FiltersOf<F>) | undefined;
  /** From 1. */
  readonly page?: number | undefined;
  /** Records on a page, 100 at most (specification, Limits). */
  readonly size?: number | undefined;
}

/**
 * The filters of a list as nested objects, `{company: {id: {$eq: 12}}}`: only
 * the fields, operators and values that its endpoint allows.
 */
export type FiltersOf<F extends Filters> = {
  readonly [Name in First<keyof F & string>]?:
    (Name extends keyof F ? Conditions<F[Name]> : FiltersOf<Below<F, Name>>) | undefined;
};

type Conditions<Field extends FilterField> = {
  readonly [Operator in Field['operators'][number]]?: z.output<Field['value']> | undefined;
};

type First<Path extends string> = Path extends `${infer Name}.${string}` ? Name : Path;

/** The filters whose path begins with `Name`, by what follows. */
type Below<F extends Filters, Name extends string> = {
  readonly [Path in keyof F & string as Path extends `${Name}.${infer Rest}` ? Rest : never]: F[Path];
};

/** What an endpoint answers, without the `{data}` around a record or the records below one. */
export type ResultOf<E extends Endpoint> = E['response'] extends { readonly type: 'text/event-stream' }
  ? AsyncIterable<StreamEventOf<E>>
  : Promise<E['response']['status'] extends 204 ? undefined : Unwrapped<ResponseOf<E>>>;

type Unwrapped<Answer> = [keyof Answer] extends ['data']
  ? Answer extends { readonly data: infer Data }
    ? Data
    : Answer
  : Answer;

/** An event of a stream. */
export type StreamEventOf<E extends Endpoint> = {
  readonly [Name in keyof E['response']['events'] & string]: {
    readonly event: Name;
    readonly data: DataOf<E['response']['events'][Name]>;
  };
}[keyof E['response']['events'] & string];

type DataOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : never;

/** A record of a list of pages. */
type ItemOf<E extends Endpoint> =
  ResponseOf<E> extends { readonly data: readonly (infer Item)[] } ? Item : never;

/** The names in a path, in its order. */
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

/** What a list is asked by, or the endpoint's own parameters; never for an endpoint that has neither. */
type Queried<E extends Endpoint> = E['filters'] extends Filters
  ? PageQuery<E['filters']>
  : [OwnName<E>] extends [never]
    ? never
    : { readonly [Name in OwnName<E>]?: QueryOf<E>[Name] | undefined };

/** Of the query of the endpoint's own. */
type OwnName<E extends Endpoint> = keyof E['query']['shape'] & keyof QueryOf<E>;

/** Whether an endpoint answers pages. */
export type IsPaged<E extends Endpoint> = E['filters'] extends Filters
  ? true
  : 'page_size' extends OwnName<E>
    ? true
    : false;

/** Calls an endpoint. @throws ClientError, and PortariaError `invalid-argument` before anything is sent. */
export type Operation<E extends Endpoint> = (
  ...given: [
    ...Arguments<E>,
    ...([Queried<E>] extends [never] ? [] : [query?: Queried<E>]),
    options?: CallOptions,
  ]
) => ResultOf<E>;

/** Asks for page after page, each when it is needed; 100 records at a time unless said otherwise. */
export type AllOperation<E extends Endpoint> = (
  ...given: [...Arguments<E>, query?: Omit<Queried<E>, 'page'>, options?: CallOptions]
) => AsyncIterable<ItemOf<E>>;
