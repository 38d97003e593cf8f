/** Errors that the stores share: what an error of a database means, and a database that is no store yet. */
import { constants } from 'node:os';
import { PortariaError, type ErrorCode } from '../../kernel/errors.ts';

/** The meaning of an error of a database or of the system, and the remedy. */
export interface Meaning {
  readonly code: ErrorCode;
  readonly advice: string;
}

/** Meanings by the beginning of the database's or the system's code, most specific first. */
export type Meanings = readonly (readonly [prefix: string, meaning: Meaning])[];

/** Returns the database's or the system's code of an error; '' if it has none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return '';
  // Node has no name for a quota that is used up.
  if ('errno' in error && error.errno === -constants.errno.EDQUOT) return 'EDQUOT';
  return typeof error.code === 'string' ? error.code : '';
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the error that says what an error means, with its remedy. */
export function explained(error: unknown, { code, advice }: Meaning, location: string): PortariaError {
  const [systemCode, reason] = [codeOf(error), reasonOf(error)];
  const cause = systemCode === '' ? reason : `${systemCode}: ${reason}`;
  return new PortariaError(code, `${location}: ${advice} (${cause})`, { cause: error });
}

/** The error for a store of a version before 1.0. */
export function olderStore(location: string): PortariaError {
  return new PortariaError(
    'store-unsupported',
    `${location} is a store of Portaria 0.1, which this version does not read: export its events with the version that ` +
      'made it (`portaria events export --file events.ndjson`), and import them into a new store ' +
      '(`portaria events import events.ndjson`)',
  );
}
