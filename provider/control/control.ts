import type { Context } from 'hono';
import { z } from 'zod';
import type { BodyOf, Method, ParamsOf, QueryOf, RequestShape } from '../../src/contract/api/endpoint.ts';
import type { Page } from '../../src/contract/api/page.ts';
import { requestReader } from '../http/read-request.ts';
import type { Scenario } from '../scenario/start-scenario.ts';
import type { Provider } from '../provider.ts';
import type { WebhookSender } from '../webhooks/sending/webhook-sender.ts';

/** What can be driven by hand. */
export interface ControlParts {
  readonly provider: Provider;
  readonly scenario: Scenario;
  readonly sender: Pick<WebhookSender, 'chaos' | 'setChaos'>;
}

/** Something to do by hand, and what does it. */
export interface Control {
  readonly method: Method;
  /** Below `/control`, parameters as `{id}`. */
  readonly path: string;
  readonly summary: string;
  /** Null when the request has none. */
  readonly body: z.ZodType | null;
  /** Answers with the body of a 200. @throws Refusal */
  respond(this: void, c: Context, parts: ControlParts): Promise<object>;
}

/** What a declaration may leave out. */
const defaults = { params: z.object({}), filters: null, query: z.object({}), body: null } as const;

type Shape = Pick<RequestShape, 'params' | 'filters' | 'query' | 'body'>;
type Declared = Pick<Control, 'method' | 'path' | 'summary'> & Partial<Shape>;
type Filled<D extends Declared> = { readonly bodyType: 'json' } & {
  readonly [K in keyof Shape]: D[K] extends Shape[K] ? D[K] : (typeof defaults)[K];
};

interface ControlRequest<E extends RequestShape> {
  readonly params: ParamsOf<E>;
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
  /** Of those whose declaration has `filters`, be it none of them. */
  readonly page: Page;
}

/** Puts a declaration and its work together. What fits the declaration and nothing else comes to the work. */
export function control<const D extends Declared>(
  declared: D,
  handle: (request: ControlRequest<Filled<D>>, parts: ControlParts) => Promise<object>,
): Control {
  const { method, path, summary, body = null } = declared;
  // What is left out is filled in, which TypeScript cannot follow through a type parameter.
  const read = requestReader({ ...defaults, ...declared, bodyType: 'json' } as unknown as Filled<D>);
  return {
    method,
    path,
    summary,
    body,
    respond: async (c, parts) => handle(await read(c), parts),
  };
}
