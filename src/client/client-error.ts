/** Everything that a call of the provider can fail with, beside being aborted. A closed set. */
export type ClientErrorCode =
  // the provider refused (specification, Errors)
  | 'bad-request'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'unprocessable'
  | 'rate-limited'
  /** Any other status that is no success: a redirect (none is followed), or a 4xx that has no code. */
  | 'refused'
  /** 5xx */
  | 'provider-failed'
  // there is no answer
  | 'unreachable'
  | 'timed-out'
  /** A success, but not one that can be read: no JSON, without the record that it should hold, or too long. */
  | 'unreadable';

interface Details {
  readonly operation: string;
  readonly status?: number;
  readonly label?: string | undefined;
  readonly detail?: string | undefined;
  readonly retryAfterMs?: number | null;
  readonly begun?: boolean;
  readonly cause?: unknown;
}

/**
 * A call that failed. `message` names the operation and how it failed; it may
 * be logged. What the provider said beyond that is in `detail`, because it may
 * repeat what is personal in the request.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: ClientErrorCode;
  /** The endpoint's `operationId`, such as `readCompany`. */
  readonly operation: string;
  /** HTTP status; null when there is no answer. */
  readonly status: number | null;
  /** The answer's `error`: the status's label, or a text of its own. Null when there is none. */
  readonly label: string | null;
  /** The answer's `message`. Null when there is none. May hold personal data. */
  readonly detail: string | null;
  /** Milliseconds that the provider asks to wait before another try; null when it does not. */
  readonly retryAfterMs: number | null;
  /** False when the provider cannot have begun to do what was asked. */
  readonly begun: boolean;

  constructor(code: ClientErrorCode, how: string, details: Details) {
    const { operation, status, label, detail, retryAfterMs, begun, cause } = details;
    super(`${operation} ${how}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.operation = operation;
    this.status = status ?? null;
    this.label = label ?? null;
    this.detail = detail ?? null;
    this.retryAfterMs = retryAfterMs ?? null;
    this.begun = begun ?? true;
  }

  /** Whether `value` is an error of a call, and of this code when one is given. */
  static is(value: unknown, code?: ClientErrorCode): value is ClientError {
    return value instanceof ClientError && (code === undefined || value.code === code);
  }
}
