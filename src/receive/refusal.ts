import { PortariaError, type ErrorCode } from '../kernel/errors.ts';

/** The status each error answers on the public port. The only place that decides it. */
const statuses = {
  'not-verified': 401,
  forbidden: 403,
  'unknown-source': 404,
  'body-too-large': 413,
  'body-incomplete': 408,
  'unsupported-encoding': 415,
  overloaded: 503,
  stopping: 503,
  // Senders send again later; nothing was stored.
  'store-full': 503,
  'store-busy': 503,
  'store-failed': 503,
  'store-locked': 503,
  'store-corrupt': 503,
  'store-read-only': 503,
  'store-newer': 503,
  'store-unsupported': 503,
  // Never meant to come from receiving: a defect of ours.
  'machine-conflict': 500,
  misconfigured: 500,
  'handler-invalid': 500,
  'invalid-argument': 500,
  'not-found': 500,
} as const satisfies Readonly<Record<ErrorCode, number>>;

/** Why a delivery was not taken. */
export interface Refusal {
  readonly status: (typeof statuses)[ErrorCode];
  /** For metrics: the error's code, or `internal`. */
  readonly result: string;
  /** For the sender: nothing of our insides. */
  readonly message: string;
  /** Seconds, where trying again makes sense. */
  readonly retryAfter?: number;
  /** Whether it is ours, and somebody should look. */
  readonly isTrouble: boolean;
}

export function refusalOf(error: unknown): Refusal {
  if (!PortariaError.is(error)) return internal('internal');
  const { code, message } = error;
  const status = statuses[code];
  if (status === 500) return internal(code);
  if (code === 'stopping' || code === 'overloaded')
    return { status, result: code, message, retryAfter: 5, isTrouble: false };
  if (status !== 503) return { status, result: code, message, isTrouble: false };
  // The store's own message may name files.
  return {
    status,
    result: code,
    message: 'The webhook could not be stored; send it again later',
    retryAfter: code === 'store-busy' ? 1 : 30,
    isTrouble: true,
  };
}

function internal(result: string): Refusal {
  const message = 'Something went wrong here; the webhook was not stored';
  return { status: 500, result, message, isTrouble: true };
}
