/** Records requests to the private port in the audit. */
import type { Context, MiddlewareHandler } from 'hono';
import type { Auditor, StartedOperation } from '../audit/auditor.ts';
import type { Operation, OperationEnd, OperationSubject, Operator } from '../audit/operation.ts';
import { isReadMethod } from '../kernel/http/read-method.ts';
import type { Visitor } from './roles.ts';
import type { SignOn } from './sign-on.ts';

/** What the audit of a request needs. */
export interface AuditDeps {
  readonly auditor: Auditor;
  readonly signOn: SignOn;
}

/** What guards, routes and audit of one request share, as variables of its context. */
export interface AuditVariables {
  /** Set by authentication. */
  visitor: Visitor;
  /** Set when the visitor may see personal data and asks for it. */
  unmasked: boolean;
  /** The change that was recorded before it started. */
  started: StartedOperation;
  /** What `addDetails` adds to the entry. */
  added: Pick<OperationEnd, 'details' | 'reason'>;
}

/** How the operators' API, or the console, names what its requests do. */
export interface AuditedSurface {
  readonly place: Operator['place'];
  /** The operation that a request is for, allowed or not; undefined when there is none. */
  actionOf(c: Context): string | undefined;
  /** What the operation concerns, and why. Never a token, a body or a payload. */
  detailsOf(c: Context, action: string): Pick<Operation, 'subject' | 'reason'>;
  /** Whether a request was rejected although its status is neither 401 nor 403. */
  isRejected(c: Context): boolean;
  /** Records or reports a change that ended and was never recorded as started. */
  recordUnstarted(c: Context, operation: Operation, deps: AuditDeps): Promise<void>;
}

/** The audit of the requests of one surface. */
export interface RequestAudit {
  /** Records that a change starts. @throws PortariaError `store-*` when it cannot: the change must not be made */
  start(c: Context, action: string): Promise<void>;
  /**
   * Records how changes ended, unmasked reads before they are sent, and rejected requests. It surrounds every guard
   * and route.
   */
  readonly middleware: MiddlewareHandler;
}

/** The variables of a request that are set so far. */
export function auditVariables(c: Context): Partial<AuditVariables> {
  return c.var as Partial<AuditVariables>;
}

/** Whether a request asks for personal data in plain text. */
export function asksUnmasked(c: Context): boolean {
  return c.req.queries('unmask')?.includes('true') === true;
}

/** Adds what an operation finds to its entry in the audit: details, such as a count, and why it was planned. */
export function addDetails(c: Context, details: OperationSubject, reason: string | null = null): void {
  c.set('added', { details: { ...auditVariables(c).added?.details, ...details }, reason });
}

/** How an operation ended, by the response to its request. */
export function endOf({ res: { status } }: Context): OperationEnd {
  return { status, result: status === 403 ? 'rejected' : status < 400 ? 'done' : 'failed' };
}

/** Returns who sends a request, as the audit names it; nobody in particular before authentication. */
export function operatorOf(c: Context, place: Operator['place'], signOn: SignOn): Operator {
  const { name = null, kind = null } = auditVariables(c).visitor ?? {};
  return { place, name, kind, address: signOn.addressOf(c) };
}

/** Creates the audit of one surface of the private port. Both record and reject by these rules alone. */
export function createRequestAudit(deps: AuditDeps, surface: AuditedSurface): RequestAudit {
  const { auditor, signOn } = deps;

  function operationOf(c: Context, action: string): Operation {
    const operator = operatorOf(c, surface.place, signOn);
    return { operator, action, ...surface.detailsOf(c, action) };
  }

  /** Records that an untrusted peer sent the header of the proxy, which counted for nothing. */
  async function rejectUntrustedPeer(c: Context): Promise<void> {
    if (signOn.claim(c).by !== 'untrusted-peer') return;
    const operation = operationOf(c, 'trustHeader');
    const operator = { ...operation.operator, name: null, kind: null };
    await auditor.reject({ ...operation, operator, subject: { header: signOn.header } }, c.res.status);
  }

  async function reject(c: Context): Promise<void> {
    const { visitor } = auditVariables(c);
    const action = visitor === undefined ? 'authenticate' : (surface.actionOf(c) ?? 'unknown');
    const operation = operationOf(c, action);
    await auditor.reject({ ...operation, operator: { ...operation.operator, kind: null } }, c.res.status);
  }

  return {
    async start(c, action) {
      c.set('started', await auditor.start(operationOf(c, action)));
    },
    async middleware(c, next) {
      await next();
      await rejectUntrustedPeer(c);
      const { started, unmasked = false, added } = auditVariables(c);
      if (started !== undefined) return started.end({ ...endOf(c), ...added });
      if (c.res.status === 401 || c.res.status === 403 || surface.isRejected(c)) return reject(c);
      const isRead = isReadMethod(c.req.method);
      if (isRead && !unmasked) return undefined;
      const action = surface.actionOf(c);
      // Unknown routes do and show nothing.
      if (action === undefined) return undefined;
      const operation = { ...operationOf(c, action), unmasked };
      if (!isRead) return surface.recordUnstarted(c, operation, deps);
      return auditor.record(operation, endOf(c));
    },
  };
}
