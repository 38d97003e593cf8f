/** Errors that Portaria itself throws. */
import { refusals, type Refusal } from './refusals.ts';
import { say } from './text/sentences.ts';

/** The code of every error that Portaria itself throws. */
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
  | 'lane-locked'
  | 'erasure-refused'
  // configuration and use
  | 'misconfigured'
  | 'handler-invalid'
  | 'invalid-argument'
  | 'not-found';

/** One mistake, for example in the configuration, with its remedy. */
export interface Problem {
  /** The setting, file, field or flag. */
  readonly where: string;
  /** What is wrong and how to fix it, in one sentence. */
  readonly message: string;
  /** The same for those who say it in another language. */
  readonly refusal?: Refusal | undefined;
}

/** The error class of Portaria. Others derive HTTP statuses and exit codes from `code`: it knows neither. */
export class PortariaError extends Error {
  override readonly name = 'PortariaError';
  readonly code: ErrorCode;
  /** Every mistake, where there can be several at once. */
  readonly problems: readonly Problem[];
  /** The message for those who say it in another language, where it has a code of its own. */
  readonly refusal: Refusal | undefined;
  /** Which of the reasons that a code has, for counting; null where it has one alone. */
  readonly reason: string | null;
  /** Seconds between the sender's clock and this one, where that is the reason. */
  readonly clockSeconds: number | null;

  constructor(
    code: ErrorCode,
    message: string | Refusal,
    options: {
      readonly cause?: unknown;
      readonly problems?: readonly Problem[];
      readonly reason?: string;
      readonly clockSeconds?: number;
    } = {},
  ) {
    const isText = typeof message === 'string';
    super(
      isText ? message : say(refusals, message),
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.problems = options.problems ?? [];
    this.reason = options.reason ?? null;
    this.clockSeconds = options.clockSeconds ?? null;
    this.refusal = isText ? undefined : message;
  }

  /** Whether `value` is one of these codes, if any are given. By name: the provider's package has its own class. */
  static is(value: unknown, ...codes: readonly ErrorCode[]): value is PortariaError {
    const isNamed = value instanceof Error && value.name === 'PortariaError';
    return isNamed && (codes.length === 0 || codes.includes((value as PortariaError).code));
  }
}

/** Writes mistakes as one text. */
export function problemList(problems: readonly Problem[], separator = '; '): string {
  return problems.map(({ where, message }) => `${where}: ${message}`).join(separator);
}

/** Returns the code that a driver or the system has given to an error; undefined if it has none. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
