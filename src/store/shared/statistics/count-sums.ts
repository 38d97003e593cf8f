/** Statistics from the rows of the tables of counts. */
import type { RejectionReason } from '../../../event/delivery.ts';
import type { Verdict } from '../../../event/stored-event.ts';
import type { DeliveryStatus, StoreStatistics, StoreTotals } from '../../queries.ts';
import { OTHER_KINDS } from './count-classes.ts';

/** Events of one kind and verdict. */
export interface EventCount {
  readonly kind: string;
  readonly recognized: number;
  readonly verdict: string;
  readonly events: number;
  readonly repeats: number;
  readonly last_received_at: number;
}

/** Deliveries of one handler in one status. */
export interface DeliveryCount {
  readonly handler: string;
  readonly status: string;
  readonly deliveries: number;
}

/** Entries of the quarantine by sender and reason. */
export interface QuarantineCount {
  readonly verified: number;
  readonly reason: string;
  readonly held: number;
  readonly bytes: number;
  readonly dropped: number;
}

/** Sums up events, ordered by kind. */
export function eventTotals(
  events: readonly EventCount[],
): Pick<StoreStatistics, 'events' | 'repeats' | 'byVerdict' | 'unrecognized' | 'byKind' | 'otherKinds'> {
  const named = events.filter((row) => row.kind !== OTHER_KINDS);
  const others = events.filter((row) => row.kind === OTHER_KINDS);
  const ofVerdict = (verdict: Verdict) => eventsIn(events.filter((row) => row.verdict === verdict));
  return {
    events: eventsIn(events),
    repeats: sum(events.map((row) => row.repeats)),
    byVerdict: { new: ofVerdict('new'), stale: ofVerdict('stale'), ambiguous: ofVerdict('ambiguous') },
    unrecognized: eventsIn(events.filter((row) => row.recognized === 0)),
    byKind: [...Map.groupBy(named, (row) => row.kind)].map(([kind, rows]) => ({ kind, ...eventSum(rows) })),
    otherKinds: others.length === 0 ? null : eventSum(others),
  };
}

const REASONS: readonly RejectionReason[] = ['malformed', 'invalid', 'conflict'];

/** Sums up the quarantine. */
export function quarantineTotals(
  quarantine: readonly QuarantineCount[],
): Pick<StoreTotals, 'quarantined' | 'quarantineByReason' | 'quarantineBytes' | 'quarantineDropped'> {
  const droppedOf = (verified: number) =>
    sum(quarantine.filter((row) => row.verified === verified).map((row) => row.dropped));
  const heldFor = (reason: RejectionReason) =>
    sum(quarantine.filter((row) => row.reason === reason).map((row) => row.held));
  return {
    quarantined: sum(quarantine.map((row) => row.held)),
    quarantineByReason: REASONS.map((reason) => ({ reason, held: heldFor(reason) })).filter(
      ({ held }) => held > 0,
    ),
    quarantineBytes: sum(quarantine.map((row) => row.bytes)),
    quarantineDropped: { verified: droppedOf(1), unverified: droppedOf(0) },
  };
}

/** Sums up deliveries by handler, in the order of their rows. */
export function handlerTotals(deliveries: readonly DeliveryCount[]): StoreTotals['byHandler'] {
  return [...Map.groupBy(deliveries, (row) => row.handler)].map(([handler, rows]) => ({
    handler,
    ...byStatus(rows),
  }));
}

export function byStatus(
  rows: readonly { readonly status: string; readonly deliveries: number }[],
): Record<DeliveryStatus, number> {
  const count = (status: DeliveryStatus) =>
    sum(rows.filter((row) => row.status === status).map((row) => row.deliveries));
  return {
    pending: count('pending'),
    running: count('running'),
    succeeded: count('succeeded'),
    dead: count('dead'),
    skipped: count('skipped'),
  };
}

function eventSum(rows: readonly { readonly events: number; readonly last_received_at: number }[]) {
  return { events: eventsIn(rows), lastReceivedAt: Math.max(...rows.map((row) => row.last_received_at)) };
}

function eventsIn(rows: readonly { readonly events: number }[]): number {
  return sum(rows.map((row) => row.events));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
