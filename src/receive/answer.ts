import { STATUS_CODES } from 'node:http';
import type { Receipt } from '../event/receipt.ts';
import type { Refusal } from './refusal.ts';

/** What a body that does not fit its schema is answered: 422, or 202 all the same. */
export type OnInvalid = 'reject' | 'accept';

/** Seconds until a full quarantine may have room: an operator has to release or to raise the quota. */
const FULL_QUARANTINE_RETRY_S = '300';

/** An answer before it is HTTP. */
export interface Answer {
  readonly status: 200 | 202 | 400 | 422 | Refusal['status'];
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
  /** For metrics, see the telemetry event `webhook.answered`. */
  readonly result: string;
  readonly kind: string | null;
  /** Of the event or the quarantine entry. */
  readonly id: string | null;
}

/** The answer to what was kept. */
export function answerTo(receipt: Receipt, onInvalid: OnInvalid): Answer {
  switch (receipt.status) {
    case 'duplicate': {
      const { status, id, kind } = receipt;
      return { status: 200, body: { status, id }, headers: {}, result: status, kind, id };
    }
    case 'rejected':
      return quarantined(receipt, onInvalid);
    default: {
      const { status, id, kind } = receipt;
      // The status says so already.
      const flags = receipt.flags.filter((flag) => flag !== 'unrecognized');
      const body = { status, id, kind, ...(flags.length > 0 ? { flags } : {}) };
      return { status: 202, body, headers: {}, result: status, kind, id };
    }
  }
}

function quarantined(receipt: Receipt & { readonly status: 'rejected' }, onInvalid: OnInvalid): Answer {
  const { reason, id, kind, message } = receipt;
  const issues = receipt.issues.length > 0 ? { issues: receipt.issues } : {};
  if (id === null) return notKept(receipt, onInvalid);
  const known = { headers: {}, result: 'quarantined', kind, id } as const;
  if (reason === 'malformed') return { status: 400, body: { ...errorBody(400, message), id }, ...known };
  if (onInvalid === 'reject')
    return { status: 422, body: { ...errorBody(422, message), ...issues, id }, ...known };
  return { status: 202, body: { status: 'quarantined', id, kind, message, ...issues }, ...known };
}

/** Nothing is kept: the sender is not told otherwise, and one that would take 202 for kept tries again. */
function notKept(receipt: Receipt & { readonly status: 'rejected' }, onInvalid: OnInvalid): Answer {
  const { reason, kind } = receipt;
  const message = `${receipt.message}. It is not kept, because the quarantine is full`;
  const known = { result: 'quarantine-full', kind, id: null } as const;
  const refuse = (status: 400 | 422 | 503, headers: Answer['headers']): Answer => ({
    status,
    body: { ...errorBody(status, message), ...(receipt.issues.length > 0 && { issues: receipt.issues }) },
    headers,
    ...known,
  });
  if (reason === 'malformed') return refuse(400, {});
  return onInvalid === 'reject' ? refuse(422, {}) : refuse(503, { 'retry-after': FULL_QUARANTINE_RETRY_S });
}

/** The answer when nothing was kept. */
export function answerToRefusal({ status, result, message, retryAfter }: Refusal): Answer {
  const headers = {
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    // What is left of a body that is too slow is not waited for.
    ...(status === 408 ? { connection: 'close' } : {}),
  };
  return { status, body: errorBody(status, message), headers, result, kind: null, id: null };
}

/** Every error's form, the provider's own (specification, Errors). */
export function errorBody(status: number, message: string): { error: string; message: string } {
  return { error: STATUS_CODES[status] ?? 'Error', message };
}
