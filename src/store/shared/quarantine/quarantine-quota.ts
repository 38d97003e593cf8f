/** Which entries of the quarantine the quota drops. */
import type { RejectionReason } from '../../../event/delivery.ts';
import type { ArrivedRejection } from '../events/arrival.ts';

/** The maximum bytes of all quarantined entries, unless the operator has set it. */
export const DEFAULT_QUARANTINE_BYTES = 1024 ** 3;

/** The minimum bytes that an entry counts for: an empty body has a row, too. The schema's counts have the same number. */
const MIN_ENTRY_BYTES = 512;

/**
 * After an operator has lowered the quota, each new entry drops up to this many extra entries, until the quota is met:
 * no sender waits for all of them.
 */
const MAX_SURPLUS_DROPPED = 256;

/** The maximum number of entries that one transaction drops: all writes that share its commit wait. */
export const MAX_DROPPED_PER_TRANSACTION = 1_000;

/** The number of reasons: each may take up to a third of the quota from the others. */
const REASONS = 3;

/** An entry that arrives. */
export interface Newcomer {
  readonly verified: boolean;
  readonly reason: RejectionReason;
  readonly bytes: number;
}

/** The counts of quarantined entries by sender and reason. */
export interface QuarantineGroup {
  /** 1 for verified senders, else 0. */
  readonly verified: number;
  readonly reason: string;
  held: number;
  bytes: number;
}

/** Whether dropping entries can make room: an unverified newcomer never drops verified ones. */
export function canFit(newcomer: Newcomer, groups: readonly QuarantineGroup[], maxBytes: number): boolean {
  const untouchable = newcomer.verified ? [] : groups.filter(({ verified }) => verified === 1);
  return newcomer.bytes <= maxBytes - bytesOf(untouchable);
}

/**
 * Chooses the group whose oldest entry is dropped. Unverified entries go first,
 * and are all that an unverified newcomer can drop. Among them the newcomer's
 * own reason gives way once it has its share; until then, the largest reason.
 */
export function groupToDropFrom(
  newcomer: Newcomer,
  groups: readonly QuarantineGroup[],
  maxBytes: number,
): QuarantineGroup | undefined {
  const held = groups.filter((group) => group.held > 0);
  const unverified = held.filter(({ verified }) => verified === 0);
  const candidates = unverified.length > 0 || !newcomer.verified ? unverified : held;
  const own = candidates.find(({ reason }) => reason === newcomer.reason);
  if (own !== undefined && own.bytes + newcomer.bytes > maxBytes / REASONS) return own;
  return candidates.reduce<QuarantineGroup | undefined>(
    (largest, group) => (largest === undefined || group.bytes > largest.bytes ? group : largest),
    undefined,
  );
}

/** Returns the bytes by which a newcomer would exceed the quota. */
export function excessOf(newcomer: Newcomer, groups: readonly QuarantineGroup[], maxBytes: number): number {
  return bytesOf(groups) + newcomer.bytes - maxBytes;
}

/** Returns the maximum number of entries that a newcomer drops. An entry has a minimum size, which bounds it. */
export function mostDroppedBy({ bytes }: Newcomer): number {
  return Math.ceil(bytes / MIN_ENTRY_BYTES) + MAX_SURPLUS_DROPPED;
}

function bytesOf(groups: readonly QuarantineGroup[]): number {
  return groups.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Counts bytes like the generated column `bytes`. */
export function entryBytes({ delivery, kind, message, issues }: ArrivedRejection): number {
  const strings = [delivery.headers, delivery.messageId, kind, message, issues];
  return strings.reduce(
    (sum, string) => sum + Buffer.byteLength(string ?? ''),
    MIN_ENTRY_BYTES + delivery.body.length,
  );
}
