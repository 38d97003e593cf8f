import type { IncomingMessage } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import type { OperatorAction, Telemetry } from '../telemetry/telemetry.ts';
import type { Visitor } from './access.ts';
import type { ConsoleContext, ConsoleEnv } from './console-deps.ts';

/** Ids that are named of a form, at most. */
const MAX_NAMED = 10;

/** Operations by the path of their form, named as the operators' API names them. */
const operations: readonly (readonly [path: RegExp, action: string])[] = [
  [/^\/sign-in$/u, 'signIn'],
  [/^\/sign-out$/u, 'signOut'],
  [/^\/language$/u, 'chooseLanguage'],
  [/^\/quarantine\/release$/u, 'releaseQuarantine'],
  [/\/retry$/u, 'retryDeliveries'],
  [/^\/contract\/[^/]+\/send$/u, 'sendSample'],
];

/**
 * Reports sign-ins, changes, unmasked pages and rejected requests, with actor and address: never a token or a
 * payload.
 */
export function reportActions({
  telemetry,
}: {
  readonly telemetry: Telemetry;
}): MiddlewareHandler<ConsoleEnv> {
  return async (c, next) => {
    await next();
    const { status } = c.res;
    const isRejected = status === 403 || (status === 401 && c.req.method === 'POST');
    const unmasked = c.req.query('unmask') === 'true';
    const isChange = c.req.method !== 'GET' && c.req.method !== 'HEAD';
    if (!isRejected && !isChange && !unmasked) return;
    telemetry.emit('operator.acted', {
      action: isRejected ? 'authenticate' : actionOf(c, isChange),
      unmasked,
      subject: subjectOf(c),
      actor: isRejected ? null : actorOf(c.get('visitor') as Visitor | undefined),
      address: addressOf(c),
      result: isRejected ? 'rejected' : status < 400 ? 'done' : 'failed',
      status,
    });
  };
}

function actionOf(c: ConsoleContext, isChange: boolean): string {
  if (!isChange) return 'showPage';
  return operations.find(([path]) => path.test(c.req.path))?.[1] ?? 'unknown';
}

/** A sign-in has no visitor yet, and succeeds by a token alone. */
function actorOf(visitor: Visitor | undefined): OperatorAction['actor'] {
  return visitor?.name === 'loopback' ? 'loopback' : 'token';
}

/** The path, and the ids of a form: never its token. */
function subjectOf(c: ConsoleContext): OperatorAction['subject'] {
  const fields = c.get('fields') as URLSearchParams | undefined;
  const ids = [...(fields?.getAll('delivery') ?? []), ...(fields?.getAll('entry') ?? [])];
  const more = ids.length > MAX_NAMED ? ` and ${String(ids.length - MAX_NAMED)} more` : '';
  return {
    path: c.req.path,
    ...(ids.length > 0 && { ids: `${ids.slice(0, MAX_NAMED).join(', ')}${more}` }),
  };
}

function addressOf(c: ConsoleContext): string | null {
  const env = c.env as { readonly incoming?: IncomingMessage } | undefined;
  return env?.incoming?.socket.remoteAddress ?? null;
}
