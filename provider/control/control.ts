/** Routes of `/control`: parameters, query and body by their declarations. */
import type { Context } from 'hono';
import { z } from 'zod';
import type { BodyOf, Method, ParamsOf, QueryOf, RequestShape } from '../../src/contract/api/endpoint.ts';
import type { Page } from '../../src/contract/api/response.ts';
import { requestReader } from '../http/read-request.ts';
import type { Scenario } from '../scenario/start-scenario.ts';
import type { Provider } from '../provider.ts';
import type { WebhookSender } from '../webhooks/sending/webhook-sender.ts';

/** What the controls act on. */
export interface ControlDeps {
  readonly provider: Provider;
  readonly scenario: Scenario;
  readonly sender: Pick<WebhookSender, 'chaos' | 'setChaos'>;
}

type Shape = Pick<RequestShape, 'params' | 'filters' | 'query' | 'body'>;

/** A route of `/control` and its handler. */
export interface Control extends Shape {
  readonly method: Method;
  /** Path below `/control`, with parameters as in `{id}`. */
  readonly path: string;
  readonly summary: string;
  /** Returns the body of a 200 response. @throws HttpError */
  respond(this: void, c: Context, deps: ControlDeps): Promise<object>;
}

/** Defaults of a declaration. */
const defaults = { params: z.object({}), filters: null, query: z.object({}), body: null } as const;

type Declared = Pick<Control, 'method' | 'path' | 'summary'> & Partial<Shape>;
type Filled<D extends Declared> = { readonly bodyType: 'json' } & {
  readonly [K in keyof Shape]: D[K] extends Shape[K] ? D[K] : (typeof defaults)[K];
};

interface ControlRequest<E extends RequestShape> {
  readonly params: ParamsOf<E>;
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
  /** Set when the declaration has `filters`, even an empty object. */
  readonly page: Page;
}

/** Declares a route. The handler gets requests that match the declaration only. */
export function control<const D extends Declared>(
  declared: D,
  handle: (request: ControlRequest<Filled<D>>, deps: ControlDeps) => Promise<object>,
): Control {
  const shape = { ...defaults, ...declared };
  // TypeScript does not relate the defaults to the type parameter.
  const read = requestReader({ ...shape, bodyType: 'json' } as unknown as Filled<D>);
  return { ...shape, respond: async (c, deps) => handle(await read(c), deps) };
}
