import type { IncomingMessage } from 'node:http';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import { subjectName, type Subject } from '../event/subject.ts';
import type { OperatorAction } from '../telemetry/telemetry.ts';
import type { OpsParts } from './ops-parts.ts';
import { openPaths } from './probes.ts';

/** Of a list of ids, so many are named. */
const MAX_NAMED = 10;

/**
 * Reports who was refused, who read personal data as it is, and who changed
 * what: never a token, a body or anything that was read.
 */
export function reportActions(
  app: OpenAPIHono,
  { telemetry, token }: Pick<OpsParts, 'telemetry' | 'token'>,
): MiddlewareHandler {
  const actor = token === null ? 'loopback' : 'token';
  let operations: ReadonlyMap<string, string> | undefined;

  return async (c, next) => {
    await next();
    if (openPaths.has(c.req.path)) return;
    const { status } = c.res;
    const address = addressOf(c);
    if (status === 401 || status === 403) {
      const refusal = { action: 'authenticate', unmasked: false, subject: {}, actor: null } as const;
      telemetry.emit('operator.acted', { ...refusal, address, result: 'rejected', status });
      return;
    }
    const unmasked = c.req.queries('unmask')?.includes('true') === true;
    const { method } = c.req;
    const isAction = method !== 'GET' && method !== 'HEAD';
    if (!isAction && !unmasked) return;
    operations ??= operationsOf(app);
    const action = operations.get(`${isAction ? method : 'GET'} ${routePath(c, -1)}`);
    // What is no operation has done and shown nothing.
    if (action === undefined) return;
    const result = status < 400 ? 'done' : 'failed';
    telemetry.emit('operator.acted', {
      action,
      unmasked,
      subject: subjectOf(c),
      actor,
      address,
      result,
      status,
    });
  };
}

/** The ids of all operations by method and path, once all routes are there. */
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

/** Behind a proxy, the proxy's: what that says of others anybody can write. Null without a socket. */
function addressOf(c: Context): string | null {
  const env = c.env as { readonly incoming?: IncomingMessage } | undefined;
  return env?.incoming?.socket.remoteAddress ?? null;
}

/** The parameters of an action: ids and conditions, once they fit; never a payload. */
function subjectOf(c: Context): OperatorAction['subject'] {
  const valid = (target: 'param' | 'json') =>
    c.req.valid(target as never) as Readonly<Record<string, unknown>> | undefined;
  const given = Object.entries({ ...valid('param'), ...valid('json') });
  return Object.fromEntries(given.map(([name, value]) => [name, textOf(value)]));
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) {
    const more = value.length > MAX_NAMED ? ` and ${String(value.length - MAX_NAMED)} more` : '';
    return `${value.slice(0, MAX_NAMED).map(String).join(', ')}${more}`;
  }
  return typeof value === 'object' && value !== null ? subjectName(value as Subject) : String(value);
}
