import type { IncomingMessage } from 'node:http';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import { subjectName, type Subject } from '../event/subject.ts';
import type { OperatorAction } from '../telemetry/telemetry.ts';
import type { OpsDeps } from './probes.ts';
import { openPaths } from './probes.ts';

/** Ids named of a list, at most. */
const MAX_NAMED = 10;

/**
 * Reports rejected requests, unmasked reads and all changes, with actor and
 * address: never a token, a body or a response.
 */
export function reportActions(
  app: OpenAPIHono,
  { telemetry, token }: Pick<OpsDeps, 'telemetry' | 'token'>,
): MiddlewareHandler {
  const actor = token === null ? 'loopback' : 'token';
  let operations: ReadonlyMap<string, string> | undefined;

  return async (c, next) => {
    await next();
    if (openPaths.has(c.req.path)) return;
    const { status } = c.res;
    const address = addressOf(c);
    if (status === 401 || status === 403) {
      const rejected = { action: 'authenticate', unmasked: false, subject: {}, actor: null } as const;
      telemetry.emit('operator.acted', { ...rejected, address, result: 'rejected', status });
      return;
    }
    const unmasked = c.req.queries('unmask')?.includes('true') === true;
    const { method } = c.req;
    const isAction = method !== 'GET' && method !== 'HEAD';
    if (!isAction && !unmasked) return;
    operations ??= operationsOf(app);
    const action = operations.get(`${isAction ? method : 'GET'} ${routePath(c, -1)}`);
    // Unknown routes do and show nothing.
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

/** The peer's address. Forwarding headers are ignored: any client can write them. Null without a socket. */
function addressOf(c: Context): string | null {
  const env = c.env as { readonly incoming?: IncomingMessage } | undefined;
  return env?.incoming?.socket.remoteAddress ?? null;
}

/** The valid parameters of an action: ids and conditions, never a payload. */
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
