import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Operation, OperationSubject } from '../audit/operation.ts';
import type { StartedOperation } from '../audit/auditor.ts';
import type { Visitor } from '../access/roles.ts';
import { endOf, operatorOf, rejectUntrustedPeer, type AuditDeps } from '../access/audited-request.ts';
import { subjectName, type Subject } from '../event/subject.ts';
import { isReadMethod } from '../kernel/http/read-method.ts';
import { openPaths } from './probes.ts';

/** The header in which a client may give a reason. */
const REASON_HEADER = 'portaria-reason';

/** Parameters that the subject leaves out: a plan is a token, identifiers name a person, and the reason has its place. */
const apart: ReadonlySet<string> = new Set(['plan', 'reason', 'identifiers']);

/** The operation whose `reason` is a filter: why entries are in quarantine. */
const FILTERS_BY_REASON = 'releaseQuarantine';

/** What middleware and handlers of one request share. */
interface RequestState {
  visitor?: Visitor;
  started?: StartedOperation;
  details?: OperationSubject;
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

/** Adds details that a change finds, such as a count, to its entry in the audit. */
export function addDetails(c: Context, details: OperationSubject): void {
  const state = stateOf(c);
  state.details = { ...state.details, ...details };
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
      if (!isRead) stateOf(c).started = await deps.auditor.start(operationOf(c, operationId, deps));
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
  const { auditor } = deps;
  let operations: ReadonlyMap<string, string> | undefined;

  return async (c, next) => {
    await next();
    if (openPaths.has(c.req.path)) return;
    const { status } = c.res;
    const { started, visitor } = stateOf(c);
    await rejectUntrustedPeer(c, deps, (action) => operationOf(c, action, deps));
    if (started !== undefined) {
      await started.end({ ...endOf(c), details: stateOf(c).details ?? {} });
      return;
    }
    operations ??= operationsOf(app);
    const isChange = !isReadMethod(c.req.method);
    if (status === 401 || status === 403) {
      const action = operations.get(`${isChange ? c.req.method : 'GET'} ${routeOf(app, c, isChange)}`);
      const operation = operationOf(
        c,
        visitor === undefined ? 'authenticate' : (action ?? 'authenticate'),
        deps,
      );
      await auditor.reject(
        { ...operation, subject: {}, operator: { ...operation.operator, kind: null } },
        status,
      );
      return;
    }
    const unmasked = c.req.queries('unmask')?.includes('true') === true;
    if (!isChange && !unmasked) return;
    const action = operations.get(`${isChange ? c.req.method : 'GET'} ${routePath(c, -1)}`);
    // Unknown routes do and show nothing.
    if (action === undefined) return;
    const operation = { ...operationOf(c, action, deps), unmasked };
    if (isChange) auditor.report(operation, endOf(c));
    else await auditor.record(operation, endOf(c));
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

function operationOf(c: Context, action: string, deps: AuditDeps): Operation {
  // Node decodes header bytes as Latin-1; clients write UTF-8.
  const header = Buffer.from(c.req.header(REASON_HEADER) ?? '', 'latin1').toString();
  return {
    operator: operatorOf(c, 'api', stateOf(c).visitor, deps),
    action,
    subject: subjectOf(c, action),
    reason: header === '' && action !== FILTERS_BY_REASON ? reasonOf(c) : header,
  };
}

/** The reason in a body, as pauses and discards have it. */
function reasonOf(c: Context): string {
  const body = c.req.valid('json' as never) as Readonly<Record<string, unknown>> | undefined;
  const reason = body?.['reason'];
  return typeof reason === 'string' ? reason : '';
}

/** The valid parameters of an action: ids and conditions, never a payload. */
function subjectOf(c: Context, action: string): OperationSubject {
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
