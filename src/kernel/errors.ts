/** Everything that Portaria itself can refuse or fail with. A closed set. */
export type ErrorCode =
  // receiving
  | 'not-verified'
  | 'forbidden'
  | 'unknown-source'
  | 'body-too-large'
  | 'body-incomplete'
  | 'overloaded'
  | 'unsupported-encoding'
  | 'stopping'
  // the store
  | 'store-full'
  | 'store-busy'
  | 'store-failed'
  | 'store-locked'
  | 'store-corrupt'
  | 'store-read-only'
  | 'store-newer'
  | 'store-unsupported'
  | 'machine-conflict'
  // configuration and use
  | 'misconfigured'
  | 'handler-invalid'
  | 'invalid-argument'
  | 'not-found';

/** One thing that is wrong, where, and what to do about it. */
export interface Problem {
  /** The setting, file, field or flag. */
  readonly where: string;
  /** What is wrong with it, and the remedy, in one sentence. */
  readonly message: string;
}

/**
 * The one error class. HTTP statuses and exit codes are derived from `code` at
 * the edges (`receive/`, `ops/`, `cli/`), never here.
 */
export class PortariaError extends Error {
  override readonly name = 'PortariaError';
  readonly code: ErrorCode;
  /** All that is wrong, when more than one thing can be at a time. */
  readonly problems: readonly Problem[];

  constructor(
    code: ErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly problems?: readonly Problem[] } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.problems = options.problems ?? [];
  }

  /** Whether `value` is an error of Portaria, and of this code when one is given. */
  static is(value: unknown, code?: ErrorCode): value is PortariaError {
    return value instanceof PortariaError && (code === undefined || value.code === code);
  }
}
