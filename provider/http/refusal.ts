/** Statuses that a request is refused with, and their labels (specification, Errors). */
export const refusalLabels = {
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
} as const;

export type RefusalStatus = keyof typeof refusalLabels;

/** Thrown by whatever finds that a request cannot be done; answered as `{error, message}`. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: RefusalStatus;
  readonly label: string;
  /** Beside the body. */
  readonly headers: Readonly<Record<string, string>>;

  /** @param label where the specification has another than the status's own. */
  constructor(
    status: RefusalStatus,
    message: string,
    label: string = refusalLabels[status],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.label = label;
    this.headers = headers;
  }

  /** The answer's body. Some have only a label. */
  toJSON(): { readonly error: string; readonly message?: string } {
    return { error: this.label, ...(this.message !== '' && { message: this.message }) };
  }
}

/** What messages call the records that can be missing: as the specification does, and a webhook of the provider's own. */
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

export function notFound(name: RecordName, id: number | string): Refusal {
  return new Refusal(404, `${name} with id ${String(id)} not found`);
}

/** More than an organization may have at a time. */
export function tooManyRequests(message: string, retryAfterSeconds: number): Refusal {
  return new Refusal(429, message, refusalLabels[429], { 'retry-after': String(retryAfterSeconds) });
}

/** A file that there is not (specification, Errors). */
export function notAvailable(message: string): Refusal {
  return new Refusal(404, message, 'Not Available');
}
