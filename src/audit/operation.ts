/** An operator's action, as the audit records it. */
import { maskText, scrub } from '../kernel/text/scrub.ts';
import type { AuditPlace, NewAuditEntry } from '../store/audit.ts';
import type { OperatorAction } from '../telemetry/telemetry.ts';

/** What an operation concerned: ids and filters by name. Never a token, a payload or what a sender wrote. */
export type OperationSubject = Readonly<Record<string, string | readonly string[]>>;

/** Who does it, and from where. */
export interface Operator {
  readonly place: AuditPlace;
  /** The name in the audit; null when nobody was identified. */
  readonly name: string | null;
  /** How the operator was identified: the log names this, never a person. */
  readonly kind: OperatorAction['actor'];
  readonly address: string | null;
}

/** What an operator does. */
export interface Operation {
  readonly operator: Operator;
  /** The operation id of the operators' API. */
  readonly action: string;
  readonly subject: OperationSubject;
  readonly unmasked?: boolean;
  readonly reason?: string | null;
}

/** How an operation ended. */
export interface OperationEnd {
  readonly result: 'done' | 'failed' | 'rejected';
  /** The HTTP status of the response; null elsewhere. */
  readonly status: number | null;
  /** What is known only afterwards, such as the id of what was created. */
  readonly details?: OperationSubject;
  /** Why, where only what was started says it. */
  readonly reason?: string | null;
}

/** Members of a list that the audit names, so that each can be found; the log names a few. */
const MAX_IN_AUDIT = 1_000;
const MAX_IN_LOG = 10;

/** Characters of a value, and values of an entry, at most. */
const MAX_VALUE = 16_000;
const MAX_VALUES = 30;

/** Returns the entry of an operation that starts, or that starts and ends at once. */
export function entryOf(
  { operator, action, subject, unmasked = false, reason = null }: Operation,
  {
    at,
    result,
    status = null,
    times = 1,
  }: Pick<NewAuditEntry, 'at' | 'result'> & Partial<Pick<NewAuditEntry, 'status' | 'times'>>,
): NewAuditEntry {
  return {
    at,
    place: operator.place,
    actor: operator.name,
    address: operator.address,
    action,
    unmasked,
    subject: auditText(subject),
    reason: scrub(reason?.trim() ?? '') || null,
    result,
    status,
    times,
    ends: null,
  };
}

/** The subject as the audit keeps it: personal data that slipped in is masked. */
export function auditText(subject: OperationSubject): Readonly<Record<string, string>> {
  return textOf(subject, MAX_IN_AUDIT, (text) => maskText(text.slice(0, MAX_VALUE)));
}

/** The subject as the log shows it, which masks and cuts it itself. */
export function logText(subject: OperationSubject): Readonly<Record<string, string>> {
  return textOf(subject, MAX_IN_LOG, (text) => text);
}

function textOf(
  subject: OperationSubject,
  max: number,
  finish: (text: string) => string,
): Readonly<Record<string, string>> {
  const values = Object.entries(subject).slice(0, MAX_VALUES);
  return Object.fromEntries(
    values.map(([name, value]) => [name, finish(typeof value === 'string' ? value : listText(value, max))]),
  );
}

function listText(values: readonly string[], max: number): string {
  const more = values.length > max ? ` and ${String(values.length - max)} more` : '';
  return `${values.slice(0, max).join(', ')}${more}`;
}
