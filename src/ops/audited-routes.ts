/** What the audit records of requests to the operators' API. */
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Operation, OperationSubject } from '../audit/operation.ts';
import { auditVariables, endOf, type AuditedSurface, type RequestAudit } from '../access/audited-request.ts';
import { subjectName, type Subject } from '../event/subject.ts';
import { isReadMethod } from '../kernel/http/read-method.ts';

/** The header in which a client may give a reason. */
const REASON_HEADER = 'portaria-reason';

/** Parameters that the subject leaves out: a plan is a token, identifiers name a person, and the reason has its place. */
const apart: ReadonlySet<string> = new Set(['plan', 'reason', 'identifiers']);

/** The operation whose `reason` is a filter: why entries are in quarantine. */
const FILTERS_BY_REASON = 'releaseQuarantine';

/** The operation whose reason may name a person: the entry of the erasure itself has it, once it is checked. */
const CHECKS_REASON = 'startErasure';

/** The name of who sent a request. `authenticate` has found it before any route runs. */
export function actorOf(c: Context): string {
  const { visitor } = auditVariables(c);
  if (visitor === undefined) throw new Error('a request without a visitor reached a route');
  return visitor.name;
}

/**
 * Records every change before its handler runs, once its parameters are valid. Called before routes are added.
 * A change that cannot be recorded is not made: the client gets 503.
 */
export function recordChanges(app: OpenAPIHono, audit: RequestAudit): void {
  const add = app.openapi;
  type Handler = (c: Context, ...rest: unknown[]) => unknown;
  const adding = (route: Parameters<typeof add>[0], handler: Handler, ...rest: unknown[]): unknown => {
    const { method, operationId = 'unknown' } = route;
    const recording: Handler = async (c, ...others) => {
      await audit.start(c, operationId);
      return handler(c, ...others);
    };
    const added = method === 'get' ? handler : recording;
    return (add as unknown as (...given: unknown[]) => unknown)(route, added, ...rest);
  };
  app.openapi = adding as unknown as typeof add;
}

/** How the audit names requests of the operators' API: by the operation id of their route. */
export function auditedApi(app: OpenAPIHono): AuditedSurface {
  let operations: ReadonlyMap<string, string> | undefined;
  return {
    place: 'api',
    actionOf(c) {
      operations ??= operationsOf(app);
      const method = isReadMethod(c.req.method) ? 'GET' : c.req.method;
      const [matched] = app.router.match(method, c.req.path);
      const path = matched.findLast(([[, route]]) => route.method !== 'ALL')?.[0][1].path;
      return operations.get(`${method} ${path ?? ''}`);
    },
    detailsOf,
    isRejected: () => false,
    async recordUnstarted(c, operation, { auditor }) {
      auditor.report(operation, endOf(c));
      return Promise.resolve();
    },
  };
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

function detailsOf(c: Context, action: string): Pick<Operation, 'subject' | 'reason'> {
  if (action === CHECKS_REASON) return { subject: subjectOf(c, action), reason: null };
  // Node decodes header bytes as Latin-1; clients write UTF-8.
  const header = Buffer.from(c.req.header(REASON_HEADER) ?? '', 'latin1').toString();
  const reason = header === '' && action !== FILTERS_BY_REASON ? reasonOf(c) : header;
  return { subject: subjectOf(c, action), reason };
}

/** The reason in a body, as pauses and discards have it. */
function reasonOf(c: Context): string {
  const reason = validOf(c, 'json')['reason'];
  return typeof reason === 'string' ? reason : '';
}

/** The valid parameters of an action: ids and conditions, never a payload. */
function subjectOf(c: Context, action: string): OperationSubject {
  const given = Object.entries({ ...validOf(c, 'param'), ...validOf(c, 'json') });
  const isNamed = ([name]: readonly [string, unknown]): boolean =>
    !apart.has(name) || (name === 'reason' && action === FILTERS_BY_REASON);
  return Object.fromEntries(given.filter(isNamed).map(([name, value]) => [name, textOf(value)]));
}

/** The parameters that were validated so far: none of a request that a guard rejected. */
function validOf(c: Context, target: 'param' | 'json'): Readonly<Record<string, unknown>> {
  const valid: unknown = c.req.valid(target as never);
  return (valid ?? {}) as Readonly<Record<string, unknown>>;
}

function textOf(value: unknown): string | readonly string[] {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === 'object' && value !== null ? subjectName(value as Subject) : String(value);
}
