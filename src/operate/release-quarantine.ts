import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { IdentifiedEvent, ParsedEvent } from '../event/event.ts';
import type { RejectedDelivery, VerifiedDelivery } from '../event/delivery.ts';
import type { Registry } from '../handle/load/registry.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Acceptance, Inbox } from '../store/inbox.ts';
import type { Queries, QuarantinedDelivery, QuarantineFilter, QuarantineRecord } from '../store/queries.ts';
import type { ReleaseView } from '../view/release-view.ts';
import { allRows } from './all-rows.ts';

export interface ReleaseParts {
  readonly store: Pick<Queries, 'quarantined' | 'quarantinedDelivery' | 'droppedFromQuarantine'> &
    Pick<Inbox, 'accept'>;
  readonly registry: Pick<Registry, 'routesFor'>;
  readonly parse: (delivery: VerifiedDelivery) => ParsedEvent | RejectedDelivery;
  readonly identify: (event: ParsedEvent) => IdentifiedEvent;
}

export interface ReleaseRequest {
  /** Which entries: `ids`, or any other conditions on those that are held. */
  readonly filter: QuarantineFilter;
  /** Tell what would be released, change nothing. */
  readonly dryRun: boolean;
}

/**
 * Parses held deliveries again by the present contract and accepts, in arrival
 * order, what fits now. Each becomes an event with the flag `released` and the
 * instant at which it first arrived.
 *
 * @throws PortariaError `not-found` when a named entry does not exist, before
 * anything is released, and the store's codes.
 */
export async function releaseQuarantine(
  parts: ReleaseParts,
  { filter, dryRun }: ReleaseRequest,
): Promise<readonly ReleaseView[]> {
  const wanted: QuarantineFilter = filter.ids === undefined ? { ...filter, status: 'held' } : filter;
  const entries = await allRows((page) => parts.store.quarantined(wanted, page));
  await refuseUnknown(filter.ids ?? [], entries, parts);

  const releases: ReleaseView[] = [];
  // One after the other: arrival order decides verdicts.
  for (const entry of entries) {
    releases.push(await release(parts, entry, { dryRun, named: filter.ids !== undefined }));
    // What still does not fit is read and parsed without any wait for the disk.
    await turnOfTheLoop();
  }
  return releases;
}

async function release(
  parts: ReleaseParts,
  entry: QuarantineRecord,
  { dryRun, named }: { readonly dryRun: boolean; readonly named: boolean },
): Promise<ReleaseView> {
  const held = await parts.store.quarantinedDelivery(entry.id);
  const report = { id: entry.id, event_id: null, kind: entry.kind, message: null, issues: [] };
  if (held === null) return { ...report, outcome: 'dropped' };
  if (held.status === 'released') return { ...report, outcome: 'already-released', event_id: held.eventId };

  const parsed = parts.parse(verifiedAgain(held));
  if (parsed.stage === 'rejected') {
    const { kind, message, issues } = parsed;
    return { ...report, outcome: 'held', kind, message, issues: issues.map((issue) => ({ ...issue })) };
  }
  const { kind } = parsed;
  if (dryRun) return { ...report, outcome: 'would-release', kind };

  const accepted = await acceptUnlessDropped(parsed, held, named, parts);
  if (accepted === null) return { ...report, outcome: 'dropped', kind };
  if (accepted.status === 'conflict') {
    const message = `its message id is event ${accepted.id}'s by now; name ${held.id} to release it all the same`;
    return { ...report, outcome: 'held', kind, message };
  }
  const outcome = accepted.status === 'stored' ? 'released' : 'duplicate';
  return { ...report, outcome, event_id: accepted.id, kind };
}

/** Null when the quota has dropped the entry since it was read. */
async function acceptUnlessDropped(
  parsed: ParsedEvent,
  held: QuarantinedDelivery,
  named: boolean,
  parts: ReleaseParts,
): Promise<Acceptance | null> {
  try {
    const accepted = await accept(parsed, held, parts);
    // Whoever names the entry wants it, whatever else came under its message id.
    if (accepted.status !== 'conflict' || !named) return accepted;
    return await accept({ ...parsed, delivery: { ...parsed.delivery, messageId: null } }, held, parts);
  } catch (error) {
    if (PortariaError.is(error, 'not-found')) return null;
    throw error;
  }
}

function accept(parsed: ParsedEvent, held: QuarantinedDelivery, parts: ReleaseParts): Promise<Acceptance> {
  const event = parts.identify({ ...parsed, flags: [...parsed.flags, 'released'] });
  return parts.store.accept(event, parts.registry.routesFor(parsed), { releases: held.id });
}

/** It was verified when it arrived, and what was kept of it is enough to be parsed again. */
function verifiedAgain(held: QuarantinedDelivery): VerifiedDelivery {
  const { source, senderVerified, receivedAt, headers, body, reason, messageId, messageIdTrusted } = held;
  return {
    stage: 'verified',
    source,
    senderVerified,
    receivedAt,
    headers,
    body,
    // The message id of a conflict is another event's: only its content can tell it apart.
    messageId: reason === 'conflict' ? null : messageId,
    messageIdTrusted,
  };
}

async function refuseUnknown(
  ids: readonly string[],
  entries: readonly QuarantineRecord[],
  { store }: ReleaseParts,
): Promise<void> {
  const known = new Set(entries.map(({ id }) => id));
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length === 0) return;
  const dropped = new Set(await store.droppedFromQuarantine(missing));
  const unknown = missing.filter((id) => !dropped.has(id));
  throw new PortariaError(
    'not-found',
    [
      ...(unknown.length > 0 ? [`Not in quarantine: ${unknown.join(', ')}`] : []),
      ...(dropped.size > 0 ? [`Dropped by the quota: ${[...dropped].join(', ')}`] : []),
    ].join('. '),
  );
}
