import { errorKind, fingerprintOf } from '../../kernel/text/error-kind.ts';

/** Kinds of error of one handler: texts without end must not become groups without end. */
export const MAX_GROUPS = 200;
/** The kind of errors beyond them. */
export const OTHER = fingerprintOf('');
/** Rows of ended deliveries that a new one removes. */
export const REMOVED_AT_ONCE = 3;

/** Returns the fingerprint of an error's kind. */
export function errorFingerprint(error: string): string {
  return fingerprintOf(errorKind(error));
}

export interface FailedDelivery {
  readonly id: number;
  readonly handler: string;
  readonly error: string;
  /** Whether it failed for good. */
  readonly dead: boolean;
  readonly now: number;
}
