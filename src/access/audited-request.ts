import type { Context } from 'hono';
import type { Auditor } from '../audit/auditor.ts';
import type { Operation, OperationEnd, Operator } from '../audit/operation.ts';
import type { Visitor } from './roles.ts';
import type { SignOn } from './sign-on.ts';

/** What the audit of a request needs. */
export interface AuditDeps {
  readonly auditor: Auditor;
  readonly signOn: SignOn;
}

/** Returns who sends a request, as the audit names it; nobody in particular without a visitor. */
export function operatorOf(
  c: Context,
  place: Operator['place'],
  visitor: Visitor | undefined,
  { signOn }: AuditDeps,
): Operator {
  const { name = null, kind = null } = visitor ?? {};
  return { place, name, kind, address: signOn.addressOf(c) };
}

/**
 * Records that an untrusted peer sent the header of the proxy, which counted for nothing.
 *
 * @param operationOf builds the operation of the request by its action
 */
export async function rejectUntrustedPeer(
  c: Context,
  { auditor, signOn }: AuditDeps,
  operationOf: (action: string) => Operation,
): Promise<void> {
  if (signOn.claim(c).by !== 'untrusted-peer') return;
  const operation = operationOf('trustHeader');
  const operator = { ...operation.operator, name: null, kind: null };
  await auditor.reject({ ...operation, operator, subject: { header: signOn.header } }, c.res.status);
}

/** How an operation ended, by the response to its request. */
export function endOf({ res: { status } }: Context): OperationEnd {
  return { status, result: status === 403 ? 'rejected' : status < 400 ? 'done' : 'failed' };
}
