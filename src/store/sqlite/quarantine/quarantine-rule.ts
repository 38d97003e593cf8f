import type { RejectionReason } from '../../../event/delivery.ts';

/** Held entries that the quota treats alike. */
export interface HeldGroup {
  /** 1 when their senders were verified, else 0. */
  readonly verified: number;
  readonly reason: string;
  readonly held: number;
  readonly bytes: number;
}

/** An entry that wants to be held. */
export interface Newcomer {
  readonly verified: boolean;
  readonly reason: RejectionReason;
  readonly bytes: number;
}

/** Up to a third of the quota, one for each reason, a reason takes its room from the others. */
const SHARES = 3;

/** Whether room for it can be made at all: an unverified entry never takes that of verified ones. */
export function canBeHeld(newcomer: Newcomer, groups: readonly HeldGroup[], quota: number): boolean {
  const untouchable = newcomer.verified ? [] : groups.filter(({ verified }) => verified === 1);
  return newcomer.bytes <= quota - bytesOf(untouchable);
}

/**
 * The group whose oldest entry makes room. Unverified entries go first, and
 * are all that an unverified newcomer can drop. Among them the newcomer's own
 * reason gives way once it has its share, until then the reason with most bytes.
 */
export function groupThatGivesWay<G extends HeldGroup>(
  newcomer: Newcomer,
  groups: readonly G[],
  quota: number,
): G | undefined {
  const held = groups.filter((group) => group.held > 0);
  const unverified = held.filter(({ verified }) => verified === 0);
  const candidates = unverified.length > 0 || !newcomer.verified ? unverified : held;
  const own = candidates.find(({ reason }) => reason === newcomer.reason);
  if (own !== undefined && own.bytes + newcomer.bytes > quota / SHARES) return own;
  return candidates.reduce<G | undefined>(
    (most, group) => (most === undefined || group.bytes > most.bytes ? group : most),
    undefined,
  );
}

export function bytesOf(groups: readonly HeldGroup[]): number {
  return groups.reduce((sum, { bytes }) => sum + bytes, 0);
}
