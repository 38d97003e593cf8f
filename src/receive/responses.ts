/** The responses of the public port. */
import type { Receipt, RejectedReceipt } from '../event/receipt.ts';
import { PortariaError, type ErrorCode } from '../kernel/errors.ts';
import { scrub } from '../kernel/text/scrub.ts';
import type { NotVerifiedFields } from '../telemetry/telemetry.ts';
import { errorBody, errorResponse, type HttpResponse } from '../kernel/http/server/json-response.ts';

/** The response to a webhook, with what the telemetry event `webhook.responded` reports about it. */
export interface WebhookResponse extends HttpResponse {
  /** The receipt's status, `handshake`, `quarantined`, `quarantine-full`, an error code or `internal`. */
  readonly result: string;
  readonly kind: string | null;
  /** Id of the event or of the quarantine entry; null when nothing was stored. */
  readonly id: string | null;
  readonly notVerified?: NotVerifiedFields;
}

/** Response to a body that does not match its schema: 422, or 202 for senders that give up on errors. */
export type OnInvalid = 'reject' | 'accept';

/** Seconds. A full quarantine stays full until an operator releases entries or raises the quota. */
const FULL_QUARANTINE_RETRY_AFTER_S = '300';

/** Maps a receipt to the response that acknowledges it (docs/receiving.md). */
export function responseToReceipt(receipt: Receipt, onInvalid: OnInvalid): WebhookResponse {
  switch (receipt.status) {
    case 'duplicate': {
      const { status, id, kind } = receipt;
      return { status: 200, body: { status, id }, headers: {}, result: status, kind, id };
    }
    case 'ping': {
      const { status, id, kind, challenge } = receipt;
      if (challenge !== undefined) return { ...challengeResponse(challenge), result: 'handshake', kind, id };
      return { status: 200, body: { status }, headers: {}, result: status, kind, id };
    }
    case 'rejected':
      return receipt.id === null
        ? responseToDropped(receipt, onInvalid)
        : responseToQuarantined({ ...receipt, id: receipt.id }, onInvalid);
    default: {
      const { status, id, kind } = receipt;
      // The status already says `unrecognized`.
      const flags = receipt.flags.filter((flag) => flag !== 'unrecognized');
      const body = { status, id, kind, ...(flags.length > 0 ? { flags } : {}) };
      return { status: 202, body, headers: {}, result: status, kind, id };
    }
  }
}

/** Longer than every challenge in use. */
const MAX_CHALLENGE_LENGTH = 1_024;

export const TEXT = 'text/plain; charset=utf-8';

/** Echoes a challenge as text that no browser takes for anything else. */
export function challengeResponse(challenge: string): HttpResponse {
  if (challenge === '' || challenge.length > MAX_CHALLENGE_LENGTH)
    return errorResponse(400, `A challenge has 1 to ${String(MAX_CHALLENGE_LENGTH)} characters`);
  return { status: 200, body: challenge, headers: { 'content-type': TEXT, ...NOT_SNIFFED } };
}

export const NOT_SNIFFED = { 'x-content-type-options': 'nosniff' } as const;

function responseToQuarantined(
  { reason, id, kind, message, issues: found }: RejectedReceipt & { readonly id: string },
  onInvalid: OnInvalid,
): WebhookResponse {
  const issues = found.length > 0 ? { issues: found } : {};
  const known = { headers: {}, result: 'quarantined', kind, id } as const;
  if (reason === 'malformed') return { status: 400, body: { ...errorBody(400, message), id }, ...known };
  if (onInvalid === 'reject')
    return { status: 422, body: { ...errorBody(422, message), ...issues, id }, ...known };
  return { status: 202, body: { status: 'quarantined', id, kind, message, ...issues }, ...known };
}

/** The quarantine had no room. A 202 would claim that the webhook was kept, so it becomes a 503. */
function responseToDropped(
  { reason, kind, message, issues }: RejectedReceipt,
  onInvalid: OnInvalid,
): WebhookResponse {
  const status = reason === 'malformed' ? 400 : onInvalid === 'reject' ? 422 : 503;
  const error = errorBody(status, `${message}. It was not kept, because the quarantine is full`);
  return {
    status,
    body: { ...error, ...(issues.length > 0 && { issues }) },
    headers: status === 503 ? { 'retry-after': FULL_QUARANTINE_RETRY_AFTER_S } : {},
    result: 'quarantine-full',
    kind,
    id: null,
  };
}

/** HTTP status of each error code on the public port. */
const statuses = {
  'not-verified': 401,
  forbidden: 403,
  'unknown-source': 404,
  'body-too-large': 413,
  'body-incomplete': 408,
  'unsupported-encoding': 415,
  overloaded: 503,
  stopping: 503,
  // The sender retries. What was stored all the same is recognized then.
  'store-full': 503,
  'store-busy': 503,
  'store-failed': 503,
  'store-locked': 503,
  'store-corrupt': 503,
  'store-read-only': 503,
  'store-newer': 503,
  'store-unsupported': 503,
  // An application has read the body before.
  misconfigured: 500,
  // Receiving never throws these: a defect of Portaria.
  'machine-conflict': 500,
  'lane-locked': 500,
  'erasure-refused': 500,
  'handler-invalid': 500,
  'invalid-argument': 500,
  'not-found': 500,
} as const satisfies Readonly<Record<ErrorCode, number>>;

export interface WebhookErrorResponse extends WebhookResponse {
  /** Whether Portaria or its store failed, so that an operator should look into it. */
  readonly isFailure: boolean;
}

/** Maps an error to a response. The message of an internal error never reaches the sender. */
export function responseToError(error: unknown): WebhookErrorResponse {
  if (!PortariaError.is(error)) return internalError('internal');
  const { code, message } = error;
  const status = statuses[code];
  if (code === 'misconfigured') return { ...webhookError(status, code, message), isFailure: true };
  if (status === 500) return internalError(code);
  if (code === 'stopping' || code === 'overloaded') return webhookError(status, code, message, 5);
  // The rest of a body that is too slow is not awaited.
  if (status === 408) return { ...webhookError(status, code, message), headers: { connection: 'close' } };
  const { reason, clockSeconds, cause } = error;
  // What a function of a source throws is for the log alone.
  const detail = cause instanceof Error ? `${message}: ${scrub(cause.message)}` : message;
  if (status !== 503)
    return {
      ...webhookError(status, code, message),
      ...(reason !== null && { notVerified: { reason, detail, clockSeconds } }),
    };
  // The store's own message may name files.
  const retryAfterS = code === 'store-busy' ? 1 : 30;
  return {
    ...webhookError(status, code, 'The webhook could not be stored; send it again later', retryAfterS),
    isFailure: true,
  };
}

function internalError(result: string): WebhookErrorResponse {
  return { ...webhookError(500, result, 'Internal error; the webhook was not stored'), isFailure: true };
}

function webhookError(
  status: number,
  result: string,
  message: string,
  retryAfterS?: number,
): WebhookErrorResponse {
  const headers = retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) };
  return { ...errorResponse(status, message, headers), result, kind: null, id: null, isFailure: false };
}
