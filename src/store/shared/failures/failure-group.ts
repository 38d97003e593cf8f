/** The kinds of error by which failed deliveries are grouped. */
import type { FailureGroup } from '../../plans.ts';
import type { DeliveryRecord } from '../../queries.ts';
import { errorKind, fingerprintOf } from '../../../kernel/text/error-kind.ts';
import { rowId } from '../ids.ts';

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

export interface FailureGroupRow {
  readonly handler: string;
  readonly fingerprint: string;
  readonly dead: number;
  readonly failing: number;
  readonly subjects: number;
  readonly first_at: number;
  readonly last_at: number;
  /** The newest delivery; null when none is left. */
  readonly sample: number | null;
}

/** Adds their newest deliveries to groups; leaves out those that have none. */
export async function failureGroups(
  rows: readonly FailureGroupRow[],
  read: (ids: readonly string[]) => Promise<readonly DeliveryRecord[]>,
): Promise<readonly FailureGroup[]> {
  const ids = rows.flatMap(({ sample }) => (sample === null ? [] : [rowId('d', sample)]));
  const samples = new Map((await read(ids)).map((each) => [each.id, each]));
  return rows.flatMap((row) => {
    const sample = row.sample === null ? undefined : samples.get(rowId('d', row.sample));
    if (sample === undefined) return [];
    return [
      {
        handler: row.handler,
        error: row.fingerprint,
        dead: row.dead,
        failing: row.failing,
        subjects: row.subjects,
        firstAt: row.first_at,
        lastAt: row.last_at,
        sample,
      },
    ];
  });
}
