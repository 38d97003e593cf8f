/** What an endpoint of the provider's API declares. */
import { z } from 'zod';
import { filterParameters, type Filters } from './filter.ts';
import { pageParameters } from './response.ts';

export type Method = 'get' | 'post' | 'put' | 'delete';

/** The statuses of the specification's Errors table that an endpoint can declare. */
export type ErrorStatus = 400 | 403 | 404 | 409 | 422;

/** The parts of the specification's Endpoints section. */
export type Part =
  | 'Companies'
  | 'Users'
  | 'Console users'
  | 'Widget users'
  | 'Traffic violations'
  | 'Driver indications'
  | 'Traffic violation payment slips'
  | 'ANTT violations'
  | 'Charges'
  | 'Driver licenses'
  | 'Appeals';

/** One endpoint as data. Provider and client route, check, call and document endpoints by it. */
export interface Endpoint {
  readonly operationId: string;
  readonly summary: string;
  readonly part: Part;
  readonly method: Method;
  /** As in the specification, without the trailing slash that some have there. */
  readonly path: `/v1/${string}`;
  /** Parameters in the path. */
  readonly params: z.ZodObject<z.ZodRawShape>;
  /** The filters of a paged list, possibly none; null for any other endpoint. */
  readonly filters: Filters | null;
  /** Query parameters besides pages and filters. Appeals have these instead. */
  readonly query: z.ZodObject<z.ZodRawShape>;
  /** Null when the request has no body. */
  readonly body: z.ZodType | null;
  readonly bodyType: BodyType;
  /** Headers that can carry the API key. The first one in the request counts. */
  readonly keyHeaders: readonly KeyHeader[];
  readonly response: ResponseShape;
  /** The meaning of each error status here, besides 401 and a 400 for parameters, which all endpoints have. */
  readonly errors: Readonly<Partial<Record<ErrorStatus, string>>>;
}

/** The parts of an endpoint that its requests are read by. */
export type RequestShape = Pick<Endpoint, 'params' | 'filters' | 'query' | 'body' | 'bodyType'>;

/** `json`: JSON only. `form`: form fields or JSON. */
export type BodyType = 'json' | 'form';

/** Specification, Authentication 1 and 2. */
export type KeyHeader = 'x-api-key' | 'api-x-token';

/** A successful response. */
export interface ResponseShape {
  readonly status: 200 | 201 | 204;
  readonly description: string;
  /** The body, or null for a response without one. */
  readonly schema: z.ZodType | null;
  /** The content type; `application/json` when absent. */
  readonly type?: 'text/event-stream';
  /** The data of each event of a stream, by event name. */
  readonly events?: Readonly<Record<string, z.ZodType>>;
  /** The name of the event that ends a stream. */
  readonly last?: string;
}

/** A numeric id in a path (specification, Conventions 9). */
export const numericId = z
  .string()
  .regex(/^\d{1,15}$/, { error: 'expected a whole number' })
  .transform(Number);

const none = z.object({});

const defaults = {
  method: 'get',
  filters: null,
  query: none,
  body: null,
  bodyType: 'json',
  keyHeaders: ['x-api-key'],
  errors: {},
} as const satisfies Partial<Endpoint>;

type Optional = keyof typeof defaults | 'params';
type Given = Omit<Endpoint, Optional | 'part'> & Partial<Pick<Endpoint, Optional>>;

/** The names between braces in a path. */
type Named<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Named<Rest>
  : never;

type Defined<G extends Given> = Omit<G, Optional> & {
  readonly params: G['params'] extends z.ZodObject<z.ZodRawShape>
    ? G['params']
    : z.ZodObject<Record<Named<G['path']>, typeof numericId>>;
  readonly filters: G['filters'] extends Filters ? G['filters'] : null;
  readonly query: G['query'] extends z.ZodObject<z.ZodRawShape> ? G['query'] : typeof none;
  readonly body: G['body'] extends z.ZodType ? G['body'] : null;
} & Pick<Endpoint, 'part' | 'method' | 'bodyType' | 'keyHeaders' | 'errors'>;

/**
 * Returns what declares endpoints of a part. The defaults are: a `get`, numeric ids where the path has braces, not
 * a paged list, no body, the key in `x-api-key`, and no errors of its own.
 */
export function endpointsOf(part: Part): <const G extends Given>(given: G) => Defined<G> {
  return <const G extends Given>(given: G) => {
    const names = Array.from(
      given.path.matchAll(/\{(\w+)\}/gu),
      ([, name = '']) => [name, numericId] as const,
    );
    const defined: Endpoint = { ...defaults, part, params: z.object(Object.fromEntries(names)), ...given };
    return defined as unknown as Defined<G>;
  };
}

/** The schema of the query string: pages and filters of lists, and other parameters. Unknown ones are errors. */
export function queryOf({ filters, query }: Pick<Endpoint, 'filters' | 'query'>): z.ZodObject<z.ZodRawShape> {
  return z.strictObject({
    ...(filters !== null && { ...pageParameters, ...filterParameters(filters) }),
    ...query.shape,
  });
}

/** Whether a request may omit this body. */
export function isOptionalBody(body: z.ZodType): boolean {
  return body.safeParse(undefined).success;
}

export type ParamsOf<E extends RequestShape> = z.output<E['params']>;
export type QueryOf<E extends RequestShape> = z.output<E['query']>;
export type BodyOf<E extends RequestShape> = E['body'] extends z.ZodType ? z.output<E['body']> : null;

/** What a handler of the endpoint returns: the body, a `Response` for a stream, or null without content. */
export type ResponseOf<E extends Endpoint> = E['response'] extends { readonly type: 'text/event-stream' }
  ? Response
  : E['response']['schema'] extends z.ZodType
    ? z.output<E['response']['schema']>
    : null;
