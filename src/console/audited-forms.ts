/** What the audit records of pages and forms of the console. */
import type { MiddlewareHandler } from 'hono';
import {
  asksUnmasked,
  auditVariables,
  endOf,
  type AuditedSurface,
  type RequestAudit,
} from '../access/audited-request.ts';
import type { OperationSubject } from '../audit/operation.ts';
import { isReadMethod } from '../kernel/http/read-method.ts';
import type { ConsoleContext, ConsoleEnv } from './console-deps.ts';
import { decodedPath } from './decoded-path.ts';
import { formOf, type Form } from './forms.ts';
import { requirePermission } from './guards.ts';
import { EVENTS_FILE } from './event-rows.ts';

/** Fields of forms, and filters, that the audit names: ids and choices. Others may hold what a person wrote. */
const namedFields: ReadonlySet<string> = new Set([
  ...['delivery', 'entry', 'problem', 'event', 'subject', 'source', 'handler', 'lane', 'pause', 'kind'],
  ...['machine', 'job', 'replay', 'group', 'status', 'stage', 'rate', 'since', 'until'],
  ...['company', 'error', 'flag', 'verdict'],
]);

/**
 * Checks what a visitor may do, and records changes before they are made. What cannot be recorded is not done.
 */
export function startOperations(audit: RequestAudit): MiddlewareHandler<ConsoleEnv> {
  return async (c, next) => {
    requirePermission(c, 'view');
    if (!isReadMethod(c.req.method)) {
      const form = formOf(c);
      for (const permission of form?.needs ?? (['operate'] as const)) requirePermission(c, permission);
      if (form === undefined) return c.notFound();
      if (!isOwn(form)) await audit.start(c, form.action);
    } else if (asksUnmasked(c)) {
      requirePermission(c, 'unmask');
      c.set('unmasked', true);
    } else if (c.req.path === EVENTS_FILE) await audit.start(c, 'exportEvents');
    return next();
  };
}

/** How the audit names requests of the console: a file of events as an export, all pages alike, forms by their action. */
export const auditedConsole: AuditedSurface = {
  place: 'console',
  actionOf(c) {
    if (c.req.path === EVENTS_FILE) return 'exportEvents';
    return isReadMethod(c.req.method) ? 'showPage' : formOf(c)?.action;
  },
  detailsOf(c, action) {
    const { searchParams } = new URL(c.req.url);
    const fields =
      action === 'exportEvents' ? searchParams : (c.get('fields') as URLSearchParams | undefined);
    // The reason may name a person: the entry of the erasure itself has it, once it is checked. An address has none.
    const hasReason = action !== 'exportEvents' && formOf(c)?.action !== 'startErasure';
    return { subject: subjectOf(c, fields), reason: hasReason ? (fields?.get('reason') ?? null) : null };
  },
  /** A change without a session: the response leads to the sign-in, and nothing was done. */
  isRejected: (c: ConsoleContext) =>
    !isReadMethod(c.req.method) && auditVariables(c).visitor === undefined && c.get('signedIn') === undefined,
  /** Only what is the visitor's own, such as a sign-in, is not recorded before it is done. */
  async recordUnstarted(c: ConsoleContext, operation, { auditor }) {
    const form = formOf(c);
    // A search is recorded, if at all, as the page that it leads to.
    if (form === undefined || !isOwn(form) || form.action === 'search') return;
    const operator = { ...operation.operator, ...c.get('signedIn') };
    if (form.action === 'chooseLanguage') auditor.report(operation, endOf(c));
    else await auditor.note({ ...operation, operator }, endOf(c));
  },
};

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
