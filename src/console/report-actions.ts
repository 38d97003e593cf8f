import type { MiddlewareHandler } from 'hono';
import { endOf, operatorOf, rejectUntrustedPeer, type AuditDeps } from '../access/audited-request.ts';
import type { Operation, OperationSubject } from '../audit/operation.ts';
import type { Visitor } from '../access/roles.ts';
import { isReadMethod } from '../kernel/http/read-method.ts';
import type { ConsoleContext, ConsoleEnv } from './console-deps.ts';
import { decodedPath } from './decoded-path.ts';
import { formOf, type Form } from './forms.ts';
import { requirePermission } from './guards.ts';

/** Fields of forms that the audit names: ids and choices. Others may hold what a person wrote. */
const namedFields: ReadonlySet<string> = new Set([
  'delivery',
  'entry',
  'problem',
  'event',
  'subject',
  'source',
  'handler',
  'lane',
  'pause',
  'kind',
  'machine',
  'job',
  'replay',
  'group',
  'status',
  'stage',
  'rate',
  'since',
  'until',
]);

/**
 * Checks what a visitor may do, and records changes before they are made and unmasked pages before they are
 * sent. What cannot be recorded is not done.
 */
export function startOperations(deps: AuditDeps): MiddlewareHandler<ConsoleEnv> {
  const { auditor } = deps;
  return async (c, next) => {
    requirePermission(c, 'view');
    if (!isReadMethod(c.req.method)) {
      const form = formOf(c);
      for (const permission of form?.needs ?? ['operate' as const]) requirePermission(c, permission);
      if (form === undefined) return c.notFound();
      if (!isOwn(form)) c.set('started', await auditor.start(operationOf(c, form.action, deps)));
      return next();
    }
    const unmasked = c.req.query('unmask') === 'true';
    if (unmasked) requirePermission(c, 'unmask');
    await next();
    if (unmasked) await auditor.record({ ...operationOf(c, 'showPage', deps), unmasked }, endOf(c));
    return undefined;
  };
}

/** Records how changes ended, sign-ins, sign-outs and rejected requests: never a token or a payload. */
export function reportActions(deps: AuditDeps): MiddlewareHandler<ConsoleEnv> {
  return async (c, next) => {
    await next();
    const { status } = c.res;
    await rejectUntrustedPeer(c, deps, (action) => operationOf(c, action, deps));
    const started = c.get('started');
    if (started !== undefined) await started.end({ ...endOf(c), details: c.get('details') ?? {} });
    else if (status === 401 || status === 403 || isWithoutVisitor(c)) await rejectVisitor(c, deps);
    else {
      const form = formOf(c);
      if (form !== undefined && isOwn(form)) await noteOwnAction(c, form, deps);
    }
  };
}

/** Adds details that an operation finds, such as the id of a plan, to its entry in the audit. */
export function addDetails(c: ConsoleContext, details: OperationSubject): void {
  c.set('details', { ...c.get('details'), ...details });
}

/** Whether a change was sent without a session: the response leads to the sign-in, and nothing was done. */
function isWithoutVisitor(c: ConsoleContext): boolean {
  const visitor = c.get('visitor') as Visitor | undefined;
  return !isReadMethod(c.req.method) && visitor === undefined && c.get('signedIn') === undefined;
}

function rejectVisitor(c: ConsoleContext, deps: AuditDeps): Promise<void> {
  const known = c.get('visitor') as Visitor | undefined;
  const action = isReadMethod(c.req.method) ? 'showPage' : (formOf(c)?.action ?? 'unknown');
  const operation = operationOf(c, known === undefined ? 'authenticate' : action, deps);
  return deps.auditor.reject({ ...operation, operator: { ...operation.operator, kind: null } }, c.res.status);
}

async function noteOwnAction(c: ConsoleContext, { action }: Form, deps: AuditDeps): Promise<void> {
  const operation = operationOf(c, action, deps);
  const who = c.get('signedIn');
  const operator = who === undefined ? operation.operator : { ...operation.operator, ...who };
  if (action === 'chooseLanguage') deps.auditor.report(operation, endOf(c));
  else await deps.auditor.note({ ...operation, operator }, endOf(c));
}

function operationOf(c: ConsoleContext, action: string, deps: AuditDeps): Operation {
  const visitor = c.get('visitor') as Visitor | undefined;
  const fields = c.get('fields') as URLSearchParams | undefined;
  return {
    operator: operatorOf(c, 'console', visitor, deps),
    action,
    subject: subjectOf(c, fields),
    reason: fields?.get('reason') ?? null,
  };
}

/** The path, and the ids of a form: never its token. */
function subjectOf(c: ConsoleContext, fields: URLSearchParams | undefined): OperationSubject {
  const named = [...new Set(fields?.keys() ?? [])].filter((name) => namedFields.has(name));
  const given = named.map((name) => [name, (fields?.getAll(name) ?? []).filter((id) => id !== '')] as const);
  return {
    path: decodedPath(c.req.path),
    ...searchedOf(c),
    ...Object.fromEntries(given.filter(([, values]) => values.length > 0)),
  };
}

/** The fields of payloads that a page searched, and never what for. */
function searchedOf(c: ConsoleContext): OperationSubject {
  const conditions = (c.req.queries('where') ?? []).filter((where) => where !== '');
  const fields = conditions.flatMap((where) => /^\s*(data(?:\.[\w-]+)*)/u.exec(where)?.[1] ?? []);
  const joined = conditions.flatMap((where) =>
    [...where.replaceAll(/"(?:[^"\\]|\\.)*"/gu, '').matchAll(/\sand\s+(data(?:\.[\w-]+)*)/gu)].flatMap(
      ([, field]) => field ?? [],
    ),
  );
  const texts = (c.req.queries('text') ?? []).some((text) => text !== '') ? ['text'] : [];
  const searched = [...new Set([...fields, ...joined, ...texts])];
  return searched.length === 0 ? {} : { searched };
}

/** It changes nothing of Portaria, and must work on a full disk: it is recorded afterwards, as far as possible. */
function isOwn({ needs }: Form): boolean {
  return needs.every((permission) => permission === 'view');
}
