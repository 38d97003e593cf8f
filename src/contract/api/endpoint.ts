import { z } from 'zod';
import { filterParameters, type Filters } from './filter.ts';
import { pageParameters } from './page.ts';

export type Method = 'get' | 'post' | 'put' | 'delete';

/** Statuses of the specification's Errors table that an endpoint names for itself. */
export type FailureStatus = 400 | 403 | 404 | 409 | 422;

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

/**
 * One endpoint as data: what is routed, checked, answered and documented is
 * made from this, by the service as by a client.
 */
export interface Endpoint {
  readonly operationId: string;
  readonly summary: string;
  readonly part: Part;
  readonly method: Method;
  /** As the specification writes it, without the slash that some end in. */
  readonly path: `/v1/${string}`;
  /** Of the path. */
  readonly params: z.ZodObject<z.ZodRawShape>;
  /** Null for what is no list of pages; otherwise the filters it takes, perhaps none. */
  readonly filters: Filters | null;
  /** Parameters of the query string beside pages and filters; appeals have them instead. */
  readonly query: z.ZodObject<z.ZodRawShape>;
  /** Null when the request has none. */
  readonly body: z.ZodType | null;
  /** How the body is sent: as JSON, or as form fields, where JSON is taken, too. */
  readonly bodyType: BodyType;
  /** Headers that can carry the API key; the first of them that a request has counts. */
  readonly keyHeaders: readonly KeyHeader[];
  readonly answer: Answer;
  /** What each failure means here, beyond 401 and a 400 for parameters, which all have. */
  readonly failures: Readonly<Partial<Record<FailureStatus, string>>>;
}

/** What of an endpoint says how its requests are read. */
export type RequestShape = Pick<Endpoint, 'params' | 'filters' | 'query' | 'body' | 'bodyType'>;

export type BodyType = 'json' | 'form';

/** Specification, Authentication 1 and 2. */
export type KeyHeader = 'x-api-key' | 'api-x-token';

export interface Answer {
  readonly status: 200 | 201 | 204;
  readonly description: string;
  /** `application/json` unless said otherwise; null for an answer without content. */
  readonly schema: z.ZodType | null;
  readonly type?: 'text/event-stream';
  /** Of a stream: what each of its events carries, by name. */
  readonly events?: Readonly<Record<string, z.ZodType>>;
  /** Of a stream: the name of the event that ends it. */
  readonly last?: string;
}

/** A numeric id in a path (specification, Conventions 9). */
export const numericId = z
  .string()
  .regex(/^\d{1,15}$/, { error: 'expected a whole number' })
  .transform(Number);

const none = z.object({});

/** What a declaration may leave out. */
const defaults = {
  params: none,
  filters: null,
  query: none,
  body: null,
  bodyType: 'json',
  keyHeaders: ['x-api-key'],
  failures: {},
} as const satisfies Partial<Endpoint>;

type Optional = keyof typeof defaults;
type Given = Omit<Endpoint, Optional> & Partial<Pick<Endpoint, Optional>>;

type Defined<G extends Given> = Omit<G, Optional> & {
  readonly params: G['params'] extends z.ZodObject<z.ZodRawShape> ? G['params'] : typeof none;
  readonly filters: G['filters'] extends Filters ? G['filters'] : null;
  readonly query: G['query'] extends z.ZodObject<z.ZodRawShape> ? G['query'] : typeof none;
  readonly body: G['body'] extends z.ZodType ? G['body'] : null;
} & Pick<Endpoint, 'bodyType' | 'keyHeaders' | 'failures'>;

/**
 * Fills in what a declaration leaves out: no parameters, no list, no body, the
 * key in `x-api-key`, no failures of its own.
 */
export function defineEndpoint<const G extends Given>(given: G): Defined<G> {
  const defined: Endpoint = { ...defaults, ...given };
  return defined as unknown as Defined<G>;
}

/** What the query string may hold: pages and filters for lists, parameters of its own. Anything else is an error. */
export function queryOf({ filters, query }: Pick<Endpoint, 'filters' | 'query'>): z.ZodObject<z.ZodRawShape> {
  return z.strictObject({
    ...(filters !== null && { ...pageParameters, ...filterParameters(filters) }),
    ...query.shape,
  });
}

/** Whether a request may come without its body. */
export function mayBeLeftOut(body: z.ZodType): boolean {
  return body.safeParse(undefined).success;
}

export type ParamsOf<E extends RequestShape> = z.output<E['params']>;
export type QueryOf<E extends RequestShape> = z.output<E['query']>;
export type BodyOf<E extends RequestShape> = E['body'] extends z.ZodType ? z.output<E['body']> : null;
/** A stream is answered as it is; null is an answer without content. */
export type AnswerOf<E extends Endpoint> = E['answer'] extends { readonly type: 'text/event-stream' }
  ? Response
  : E['answer']['schema'] extends z.ZodType
    ? z.output<E['answer']['schema']>
    : null;
