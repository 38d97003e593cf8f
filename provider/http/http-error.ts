/** The error statuses and their labels (specification, Errors). */
export const errorLabels = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
} as const;

export type ErrorStatus = keyof typeof errorLabels;

/** An error response. Thrown wherever a request cannot be fulfilled, and sent as `{error, message}`. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: ErrorStatus;
  readonly label: string;
  /** Extra response headers. */
  readonly headers: Readonly<Record<string, string>>;

  /** @param label differs from the default of the status where the specification says so. */
  constructor(
    status: ErrorStatus,
    message: string,
    label: string = errorLabels[status],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.label = label;
    this.headers = headers;
  }

  /** Returns the response body. Some errors have a label only. */
  toJSON(): { readonly error: string; readonly message?: string } {
    return { error: this.label, ...(this.message !== '' && { message: this.message }) };
  }
}

/** The names of records in error messages, as in the specification. */
type RecordName =
  | 'Company'
  | 'User'
  | 'Console user'
  | 'Traffic violation'
  | 'ANTT violation'
  | 'Charge'
  | 'Ticket'
  | 'Driver'
  | 'Appeal'
  | 'Webhook';

/** A 404 for a record that does not exist, or belongs to another organization. */
export function notFound(name: RecordName, id: number | string): HttpError {
  return new HttpError(404, `${name} with id ${String(id)} not found`);
}

/** A 429 with `Retry-After`. */
export function tooManyRequests(message: string, retryAfterSeconds: number): HttpError {
  return new HttpError(429, message, errorLabels[429], { 'retry-after': String(retryAfterSeconds) });
}

/** A 404 for a file that does not exist (specification, Errors). */
export function notAvailable(message: string): HttpError {
  return new HttpError(404, message, 'Not Available');
}
