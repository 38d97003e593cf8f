import { tooManyRequests } from './http/refusal.ts';

/** What an organization may have under way at a time, whichever of its keys asks. */
export interface OrganizationSlots {
  /**
   * Takes a place of the organization.
   *
   * @returns how to give it back; a second call does nothing.
   * @throws Refusal 429 when all are taken.
   */
  take(organization: number): () => void;
}

export interface SlotOptions {
  readonly max: number;
  /** What takes a place, in the plural, for the refusal. */
  readonly what: string;
  /** When a place may be free again. */
  readonly retryAfterSeconds: number;
}

export function createOrganizationSlots({ max, what, retryAfterSeconds }: SlotOptions): OrganizationSlots {
  const taken = new Map<number, number>();
  return {
    take(organization) {
      const count = taken.get(organization) ?? 0;
      if (count >= max)
        throw tooManyRequests(
          `An organization has at most ${String(max)} ${what} at a time`,
          retryAfterSeconds,
        );
      taken.set(organization, count + 1);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        const left = (taken.get(organization) ?? 1) - 1;
        if (left === 0) taken.delete(organization);
        else taken.set(organization, left);
      };
    },
  };
}
