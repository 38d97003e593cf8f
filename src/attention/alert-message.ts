/** The messages that tell an operator's system of a problem. */
import type { TrackedProblem } from './track-problems.ts';

/** The body of an alert (Standard Webhooks: `type`, `timestamp` and `data`). */
export interface AlertMessage {
  readonly type: 'portaria.problem.began' | 'portaria.problem.ended';
  /** When Portaria noticed it, ISO 8601. */
  readonly timestamp: string;
  readonly data: {
    /** The store that the problem belongs to: an operator may have several. */
    readonly store_id: string;
    readonly problem: string;
    readonly of: string | null;
    /** When it began, ISO 8601. */
    readonly since: string;
    readonly summary: string;
    readonly remedy: string;
  };
}

/** Writes the body of the message that a problem began or ended. */
export function alertBody(
  type: AlertMessage['type'],
  { problem, beganAt }: TrackedProblem,
  { storeId, now }: { readonly storeId: string; readonly now: number },
): string {
  const { problem: kind, of, summary, remedy } = problem;
  const message: AlertMessage = {
    type,
    timestamp: new Date(now).toISOString(),
    data: {
      store_id: storeId,
      problem: kind,
      of,
      since: new Date(beganAt).toISOString(),
      summary,
      remedy,
    },
  };
  return JSON.stringify(message);
}
