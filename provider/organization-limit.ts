/** The limits of concurrent operations, by organization. */
import { tooManyRequests } from './http/http-error.ts';

/** Limits how many operations of an organization run at a time, over all its keys. */
export interface OrganizationLimit {
  /**
   * Starts an operation.
   *
   * @returns ends it; a second call does nothing.
   * @throws HttpError 429 when the maximum is reached.
   */
  acquire(organization: number): () => void;
}

export interface LimitOptions {
  readonly max: number;
  /** Names the operations in the error message, in the plural. */
  readonly what: string;
  /** Retry-After of the error response. */
  readonly retryAfterSeconds: number;
}

export function createOrganizationLimit({ max, what, retryAfterSeconds }: LimitOptions): OrganizationLimit {
  const running = new Map<number, number>();
  return {
    acquire(organization) {
      const count = running.get(organization) ?? 0;
      if (count >= max)
        throw tooManyRequests(
          `An organization can have at most ${String(max)} ${what} at a time`,
          retryAfterSeconds,
        );
      running.set(organization, count + 1);
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        const left = (running.get(organization) ?? 1) - 1;
        if (left === 0) running.delete(organization);
        else running.set(organization, left);
      };
    },
  };
}
