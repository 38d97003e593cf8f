/** Releases entries of the quarantine that match the contract now. */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { IdentifiedEvent, ParsedEvent } from '../../event/event.ts';
import type { VerifiedDelivery } from '../../event/delivery.ts';
import { withoutKinds } from '../../contract/contract.ts';
import { createParse, type Parse } from '../../parse/parse.ts';
import type { Registry } from '../../handle/load/registry.ts';
import { PortariaError } from '../../kernel/errors.ts';
import type { Acceptance, Inbox } from '../../store/inbox.ts';
import type { Plans } from '../../store/plans.ts';
import type {
  Queries,
  QuarantinedDelivery,
  QuarantineFilter,
  QuarantineRecord,
} from '../../store/queries.ts';
import type { ReleaseView } from '../../view/operation-views.ts';
import { allRows } from '../../kernel/row-pages.ts';

export interface ReleaseDeps {
  readonly store: Pick<Queries, 'quarantined' | 'quarantinedDelivery' | 'droppedFromQuarantine'> &
    Pick<Plans, 'overtakenArrival'> &
    Pick<Inbox, 'accept'>;
  readonly registry: Pick<Registry, 'routesFor' | 'contract'>;
  readonly parse: Parse;
  readonly identify: (event: ParsedEvent) => IdentifiedEvent;
}

/** What an entry that is valid would become. */
export interface ValidEntry {
  readonly id: string;
  readonly event: IdentifiedEvent;
  /** Those of the handlers that take its kind. */
  readonly routes: ReturnType<Registry['routesFor']>;
}

/** How entries are released. */
interface ReleaseManner {
  /** Report what would be released, without changes. */
  readonly dryRun: boolean;
  /**
   * Release envelopes that do not match the contract, as unrecognized events, and those from which a person
   * was erased.
   */
  readonly force?: boolean;
  /**
   * Run handlers that take no stale events also where they handle a later event of the subject first. Their
   * deliveries are stored as skipped otherwise.
   */
  readonly includeOvertaken?: boolean;
  /** Whether an operator named each entry: its content then decides when another event has its message id. */
  readonly named?: boolean;
  /** Called in a dry run for each entry that would become an event. */
  readonly onValid?: (valid: ValidEntry) => void;
}

export interface ReleaseRequest extends Omit<ReleaseManner, 'named' | 'onValid'> {
  /** Selects entries by `ids`, or held entries by any other conditions. */
  readonly filter: QuarantineFilter;
}

/**
 * Parses held deliveries again with the current contract and accepts, in arrival
 * order, those that match. Each becomes an event with the flag `released` and
 * its original arrival time. With `force`, an envelope that does not match
 * becomes an unrecognized event.
 *
 * @throws PortariaError `not-found` before anything is released, when a named
 *   entry does not exist, and the store's errors
 */
export async function releaseQuarantine(
  deps: ReleaseDeps,
  { filter, ...how }: ReleaseRequest,
): Promise<readonly ReleaseView[]> {
  const wanted: QuarantineFilter = filter.ids === undefined ? { ...filter, status: 'held' } : filter;
  const entries = await allRows((page) => deps.store.quarantined(wanted, { order: 'oldest', ...page }));
  await rejectUnknown(filter.ids ?? [], entries, deps);
  return releaseEntries(deps, entries, { ...how, named: filter.ids !== undefined });
}

/** Releases entries that were read before, as {@link releaseQuarantine} does, in their order. */
export async function releaseEntries(
  deps: ReleaseDeps,
  entries: readonly QuarantineRecord[],
  how: ReleaseManner,
): Promise<readonly ReleaseView[]> {
  const parse = how.force === true ? forcing(deps) : deps.parse;
  const releases: ReleaseView[] = [];
  // In sequence: verdicts depend on arrival order.
  for (const entry of entries) {
    releases.push(await release({ ...deps, parse }, entry, how));
    // Entries that do not match never wait for the disk, so yield explicitly.
    await nextTick();
  }
  return releases;
}

/** Parses what does not match the contract as an unrecognized event. Bodies without an envelope stay in quarantine. */
function forcing({ parse, registry }: ReleaseDeps): Parse {
  const unrecognizing = createParse(withoutKinds(registry.contract));
  return (delivery) => {
    const parsed = parse(delivery);
    return parsed.stage === 'rejected' && parsed.reason === 'invalid' ? unrecognizing(delivery) : parsed;
  };
}

async function release(
  deps: ReleaseDeps,
  entry: QuarantineRecord,
  { dryRun, force = false, named = false, includeOvertaken = false, onValid }: ReleaseManner,
): Promise<ReleaseView> {
  const delivery = await deps.store.quarantinedDelivery(entry.id);
  const report = { id: entry.id, event_id: null, kind: entry.kind, message: null, overtaken: [], issues: [] };
  if (delivery === null) return { ...report, outcome: 'dropped' };
  if (delivery.status === 'released')
    return { ...report, outcome: 'already-released', event_id: delivery.eventId };

  const again = verifiedAgain(delivery);
  const found = deps.parse(again);
  // The id may be in the body.
  const parsed = delivery.reason === 'conflict' ? { ...found, delivery: again } : found;
  if (parsed.stage === 'rejected') {
    const { kind, message, issues } = parsed;
    return { ...report, outcome: 'held', kind, message, issues: issues.map((issue) => ({ ...issue })) };
  }
  const { kind } = parsed;
  if (delivery.erased && !force) {
    const message = 'a person was erased from it, which may be why it matches now; --force releases it';
    return { ...report, outcome: 'held', kind, message };
  }
  const overtaken = includeOvertaken ? [] : await overtakenRoutes(deps, parsed, delivery);
  if (dryRun) {
    const routes = deps.registry.routesFor(parsed, delivery.source);
    onValid?.({ id: entry.id, event: deps.identify(parsed), routes });
    return { ...report, outcome: 'would-release', kind, overtaken };
  }

  const accept = (event: ParsedEvent) => acceptReleased(event, delivery, overtaken, deps);
  const accepted = await acceptUnlessDropped(parsed, named, accept);
  if (accepted === null) return { ...report, outcome: 'dropped', kind };
  if (accepted.status === 'conflict') {
    const message = `event ${accepted.id} has its message id; name ${delivery.id} to release it by its content`;
    return { ...report, outcome: 'held', kind, message };
  }
  if (accepted.status === 'duplicate')
    return { ...report, outcome: 'duplicate', event_id: accepted.id, kind };
  return { ...report, outcome: 'released', event_id: accepted.id, kind, overtaken };
}

/** The handlers that want only the newest event of the subject, and handle a later one first. */
export async function overtakenRoutes(
  {
    store,
    registry,
    identify,
  }: Pick<ReleaseDeps, 'identify'> & {
    readonly store: Pick<Plans, 'overtakenArrival'>;
    readonly registry: Pick<Registry, 'routesFor'>;
  },
  parsed: ParsedEvent,
  { source, receivedAt }: Pick<QuarantinedDelivery, 'source' | 'receivedAt'>,
): Promise<ReleaseView['overtaken']> {
  const handlers = registry
    .routesFor(parsed, source)
    .flatMap(({ handler, stale }) => (stale ? [] : [handler]));
  const { subject, version } = identify(parsed);
  return [...(await store.overtakenArrival({ source, subject, version, receivedAt }, handlers))];
}

/** Returns null when the quota dropped the entry since it was read. */
async function acceptUnlessDropped(
  parsed: ParsedEvent,
  named: boolean,
  accept: (event: ParsedEvent) => Promise<Acceptance>,
): Promise<Acceptance | null> {
  try {
    const accepted = await accept(parsed);
    // A named entry is released also when another event has its message id.
    if (accepted.status !== 'conflict' || !named) return accepted;
    return await accept({ ...parsed, delivery: { ...parsed.delivery, messageId: null } });
  } catch (error) {
    if (PortariaError.is(error, 'not-found')) return null;
    throw error;
  }
}

function acceptReleased(
  parsed: ParsedEvent,
  delivery: QuarantinedDelivery,
  overtaken: ReleaseView['overtaken'],
  deps: ReleaseDeps,
): Promise<Acceptance> {
  const event = deps.identify({
    ...parsed,
    flags: [
      ...parsed.flags,
      ...(delivery.senderVerified ? [] : (['unverified'] as const)),
      'released',
      ...(delivery.erased ? (['erased'] as const) : []),
    ],
  });
  return deps.store.accept(event, deps.registry.routesFor(parsed, delivery.source), {
    releases: delivery.id,
    overtaken,
  });
}

/** The delivery as it was verified on arrival. */
export function verifiedAgain(
  delivery: Omit<QuarantinedDelivery, keyof QuarantineRecord | 'erased'> &
    Pick<QuarantineRecord, 'source' | 'receivedAt' | 'reason' | 'messageId'>,
): VerifiedDelivery {
  const { source, senderVerified, receivedAt, headers, body, reason, messageId, messageIdTrusted } = delivery;
  return {
    stage: 'verified',
    source,
    senderVerified,
    receivedAt,
    headers,
    body,
    // The message id of a conflict belongs to another event: compare by content.
    messageId: reason === 'conflict' ? null : messageId,
    messageIdTrusted,
    // What was not trusted on arrival does not become so.
    ...(!(senderVerified && messageIdTrusted) && { isBodyOpen: true }),
  };
}

async function rejectUnknown(
  ids: readonly string[],
  entries: readonly QuarantineRecord[],
  { store }: ReleaseDeps,
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
      ...(dropped.size > 0
        ? [`Dropped by the quota or by retention, or discarded: ${[...dropped].join(', ')}`]
        : []),
    ].join('. '),
  );
}
