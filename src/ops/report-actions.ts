import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Act, ActEnd, ActSubject } from '../audit/act.ts';
import type { Auditor, BegunAct } from '../audit/auditor.ts';
import type { Visitor } from '../access/roles.ts';
import type { SignOn } from '../access/sign-on.ts';
import { subjectName, type Subject } from '../event/subject.ts';
import { openPaths } from './probes.ts';

/** The header in which a client may say why it acts. */
const REASON_HEADER = 'portaria-reason';

interface AuditDeps {
  readonly auditor: Auditor;
  readonly signOn: SignOn;
}

/** Parameters that the subject leaves out: a plan is a token, and the reason has a place of its own. */
const apart: ReadonlySet<string> = new Set(['plan', 'reason']);

/** The operation whose `reason` is a filter: why entries are in quarantine. */
const FILTERS_BY_REASON = 'releaseQuarantine';

/** What middleware and handlers of one request share. */
interface RequestState {
  visitor?: Visitor;
  begun?: BegunAct;
  learned?: ActSubject;
}

/** The state of a request, which is new at its first use. */
export function stateOf(context: Context): RequestState {
  const c = context as Context<{ Variables: { state?: RequestState } }>;
  const known = c.get('state');
  if (known !== undefined) return known;
  const created: RequestState = {};
  c.set('state', created);
  return created;
}

/** The name of who sent a request. `authenticate` has found it before any route runs. */
export function actorOf(c: Context): string {
  const { visitor } = stateOf(c);
  if (visitor === undefined) throw new Error('a request without a visitor reached a route');
  return visitor.name;
}

/** Adds what a change has learned, such as a count, to its entry in the audit. */
export function noteAct(c: Context, learned: ActSubject): void {
  const state = stateOf(c);
  state.learned = { ...state.learned, ...learned };
}

/**
 * Records every change before its handler runs, once its parameters are valid. Called before routes are added.
 * A change that cannot be recorded is not made: the client gets 503.
 */
export function recordChanges(app: OpenAPIHono, deps: AuditDeps): void {
  const add = app.openapi;
  type Handler = (c: Context, ...rest: unknown[]) => unknown;
  const adding = (route: Parameters<typeof add>[0], handler: Handler, ...rest: unknown[]): unknown => {
    const { method, operationId = 'unknown' } = route;
    const isRead = method === 'get';
    const recording: Handler = async (c, ...others) => {
      if (!isRead) stateOf(c).begun = await deps.auditor.begin(actOf(c, operationId, deps));
      return handler(c, ...others);
    };
    return (add as unknown as (...given: unknown[]) => unknown)(route, recording, ...rest);
  };
  app.openapi = adding as unknown as typeof add;
}

/**
 * Records how changes ended, unmasked reads before they are sent, and rejected requests: never a token, a body or
 * a response.
 */
export function reportActions(app: OpenAPIHono, deps: AuditDeps): MiddlewareHandler {
  const { auditor, signOn } = deps;
  let operations: ReadonlyMap<string, string> | undefined;

  return async (c, next) => {
    await next();
    if (openPaths.has(c.req.path)) return;
    const { status } = c.res;
    const { begun, visitor } = stateOf(c);
    if (signOn.claim(c).by === 'stranger') {
      const act = { ...actOf(c, 'trustHeader', deps), subject: { header: signOn.header } };
      await auditor.reject({ ...act, operator: { ...act.operator, name: null, kind: null } }, status);
    }
    if (begun !== undefined) {
      await begun.end({ ...endOf(status), learned: stateOf(c).learned ?? {} });
      return;
    }
    operations ??= operationsOf(app);
    const isChange = c.req.method !== 'GET' && c.req.method !== 'HEAD';
    if (status === 401 || status === 403) {
      const action = operations.get(`${isChange ? c.req.method : 'GET'} ${routeOf(app, c, isChange)}`);
      const act = actOf(c, visitor === undefined ? 'authenticate' : (action ?? 'authenticate'), deps);
      await auditor.reject({ ...act, subject: {}, operator: { ...act.operator, kind: null } }, status);
      return;
    }
    const unmasked = c.req.queries('unmask')?.includes('true') === true;
    if (!isChange && !unmasked) return;
    const action = operations.get(`${isChange ? c.req.method : 'GET'} ${routePath(c, -1)}`);
    // Unknown routes do and show nothing.
    if (action === undefined) return;
    const act = { ...actOf(c, action, deps), unmasked };
    if (isChange) auditor.report(act, endOf(status));
    else await auditor.record(act, endOf(status));
  };
}

/** The path of the route that a rejected request would have reached. */
function routeOf(app: OpenAPIHono, c: Context, isChange: boolean): string {
  const [matched] = app.router.match(isChange ? c.req.method : 'GET', c.req.path);
  return matched.findLast(([[, route]]) => route.method !== 'ALL')?.[0][1].path ?? '';
}

/** Operation ids by method and path. Called after all routes were added. */
function operationsOf(app: OpenAPIHono): ReadonlyMap<string, string> {
  const operations = new Map<string, string>();
  for (const definition of app.openAPIRegistry.definitions) {
    if (definition.type !== 'route') continue;
    const { method, path, operationId } = definition.route;
    const pattern = path.replaceAll(/\{(\w+)\}/gu, ':$1');
    if (operationId !== undefined) operations.set(`${method.toUpperCase()} ${pattern}`, operationId);
  }
  return operations;
}

function actOf(c: Context, action: string, { signOn }: AuditDeps): Act {
  const { visitor } = stateOf(c);
  // Node decodes header bytes as Latin-1; clients write UTF-8.
  const header = Buffer.from(c.req.header(REASON_HEADER) ?? '', 'latin1').toString();
  return {
    operator: {
      place: 'api',
      name: visitor?.name ?? null,
      kind: visitor?.kind ?? null,
      address: signOn.addressOf(c),
    },
    action,
    subject: subjectOf(c, action),
    reason: header === '' && action !== FILTERS_BY_REASON ? reasonOf(c) : header,
  };
}

function endOf(status: number): ActEnd {
  return { status, result: status < 400 ? 'done' : 'failed' };
}

/** The reason in a body, as pauses and discards have it. */
function reasonOf(c: Context): string {
  const body = c.req.valid('json' as never) as Readonly<Record<string, unknown>> | undefined;
  const reason = body?.['reason'];
  return typeof reason === 'string' ? reason : '';
}

/** The valid parameters of an action: ids and conditions, never a payload. */
function subjectOf(c: Context, action: string): ActSubject {
  const valid = (target: 'param' | 'json') =>
    c.req.valid(target as never) as Readonly<Record<string, unknown>> | undefined;
  const given = Object.entries({ ...valid('param'), ...valid('json') });
  const isNamed = ([name]: readonly [string, unknown]): boolean =>
    !apart.has(name) || (name === 'reason' && action === FILTERS_BY_REASON);
  return Object.fromEntries(given.filter(isNamed).map(([name, value]) => [name, textOf(value)]));
}

function textOf(value: unknown): string | readonly string[] {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === 'object' && value !== null ? subjectName(value as Subject) : String(value);
}
