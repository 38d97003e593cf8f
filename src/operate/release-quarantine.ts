import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { IdentifiedEvent } from '../event/identified-event.ts';
import type { ParsedEvent } from '../event/parsed-event.ts';
import type { RejectedDelivery } from '../event/rejected-delivery.ts';
import type { VerifiedDelivery } from '../event/verified-delivery.ts';
import type { Registry } from '../handle/registry.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Acceptance, Inbox } from '../store/inbox.ts';
import type { Queries, QuarantinedDelivery, QuarantineFilter, QuarantineRecord } from '../store/queries.ts';
import type { ReleaseView } from '../view/release-view.ts';
import { allRows } from './all-rows.ts';

export interface ReleaseParts {
  readonly store: Pick<Queries, 'quarantined' | 'quarantinedDelivery'> & Pick<Inbox, 'accept'>;
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
  refuseUnknown(filter.ids ?? [], entries);

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
  if (held === null || held.status === 'released')
    return { ...report, outcome: 'already-released', event_id: held?.eventId ?? null };

  const parsed = parts.parse(verifiedAgain(held));
  if (parsed.stage === 'rejected') {
    const { kind, message, issues } = parsed;
    return { ...report, outcome: 'held', kind, message, issues: issues.map((issue) => ({ ...issue })) };
  }
  const { kind } = parsed;
  if (dryRun) return { ...report, outcome: 'would-release', kind };

  let accepted = await accept(parsed, held, parts);
  // Whoever names the entry wants it, whatever else came under its message id.
  if (accepted.status === 'conflict' && named)
    accepted = await accept({ ...parsed, delivery: { ...parsed.delivery, messageId: null } }, held, parts);
  if (accepted.status === 'conflict') {
    const message = `its message id is event ${accepted.id}'s by now; name ${held.id} to release it all the same`;
    return { ...report, outcome: 'held', kind, message };
  }
  const outcome = accepted.status === 'stored' ? 'released' : 'duplicate';
  return { ...report, outcome, event_id: accepted.id, kind };
}

function accept(parsed: ParsedEvent, held: QuarantinedDelivery, parts: ReleaseParts): Promise<Acceptance> {
  const event = parts.identify({ ...parsed, flags: [...parsed.flags, 'released'] });
  return parts.store.accept(event, parts.registry.routesFor(parsed), { releases: held.id });
}

/** It was verified when it arrived, and what was kept of it is enough to be parsed again. */
function verifiedAgain(held: QuarantinedDelivery): VerifiedDelivery {
  const { source, receivedAt, headers, body, reason, messageId } = held;
  return {
    stage: 'verified',
    source,
    receivedAt,
    headers,
    body,
    // The message id of a conflict is another event's: only its content can tell it apart.
    messageId: reason === 'conflict' ? null : messageId,
  };
}

function refuseUnknown(ids: readonly string[], entries: readonly QuarantineRecord[]): void {
  const known = new Set(entries.map(({ id }) => id));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) throw new PortariaError('not-found', `Not in quarantine: ${unknown.join(', ')}`);
}
