/** The ways in which a call can fail, except by being aborted. */
export type ClientErrorCode =
  // The provider rejected the request (specification, Errors).
  | 'bad-request'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'unprocessable'
  | 'rate-limited'
  /** Any other status below 500 that is not a success: a 4xx without its own code, or a redirect, which is not followed. */
  | 'refused'
  /** The provider responded with a 5xx status. */
  | 'provider-failed'
  // There is no response.
  | 'unreachable'
  | 'timed-out'
  /** A success whose body is unusable: not JSON, without the expected record, or too long. */
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
 * A call of the provider's API that failed. `message` names the operation and
 * the failure, and is safe to log. The provider's own explanation is in `detail`,
 * because it may repeat personal data of the request.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: ClientErrorCode;
  /** The endpoint's `operationId`, such as `readCompany`. */
  readonly operation: string;
  /** HTTP status; null when there is no response. */
  readonly status: number | null;
  /** The `error` field of the response: the status's label or another string. Null when there is none. */
  readonly label: string | null;
  /** The `message` field of the response; may contain personal data. Null when there is none. */
  readonly detail: string | null;
  /** Milliseconds from the `Retry-After` header; null when there is none. */
  readonly retryAfterMs: number | null;
  /** False when the provider certainly did not start to process the request. */
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

  /** Reports whether `value` is a ClientError and, if `code` is given, has that code. */
  static is(value: unknown, code?: ClientErrorCode): value is ClientError {
    return value instanceof ClientError && (code === undefined || value.code === code);
  }
}
