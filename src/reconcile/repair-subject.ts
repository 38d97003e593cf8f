/** Stores a provider's record as an event, as the webhook that never came would have been. */
import { ClientError } from '../client/client-error.ts';
import type { Client } from '../client/client.ts';
import { outages } from '../confirm/create-confirm.ts';
import type { Family } from '../contract/family.ts';
import type { VerifiedDelivery } from '../event/delivery.ts';
import { parseSubjectName } from '../event/subject.ts';
import type { Registry } from '../handle/load/registry.ts';
import type { Identify } from '../identify/identify.ts';
import { PortariaError } from '../kernel/errors.ts';
import { isJsonObject, type JsonObject } from '../kernel/json/json.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { Parse } from '../parse/parse.ts';
import { createArrivalEraser } from '../privacy/erase-arrival.ts';
import type { Inbox } from '../store/inbox.ts';
import type { Privacy } from '../store/privacy.ts';
import type { Queries } from '../store/queries.ts';
import type { Route } from '../store/route.ts';
import type { RepairSelection } from '../store/jobs.ts';
import { changeTime, createJudge, LookFailed, type Judged } from './judge-subject.ts';
import { recordId, recordLists } from './record-lists.ts';
import { repairKind } from './repair-selection.ts';

interface RepairDeps {
  readonly store: Inbox & Pick<Queries, 'events' | 'event'> & Pick<Privacy, 'erasures' | 'erasureKey'>;
  readonly registry: Pick<Registry, 'contract' | 'definitions' | 'routesFor'>;
  readonly parse: Parse;
  readonly identify: Identify;
  readonly clock: Clock;
  readonly client: (source: string) => Client | null;
  /** Milliseconds for which events are kept; null for ever. */
  readonly keepMs: number | null;
}

/** Returns the id of the event that a record became; null where the subject was left as it is. @throws ClientError when the provider is away */
export type RepairSubject = (
  subject: string,
  how: Pick<RepairSelection, 'source' | 'handlers'>,
  signal: AbortSignal,
) => Promise<string | null>;

/** Looks at a subject whose events changed meanwhile, so often at most. */
const MAX_LOOKS = 3;

/**
 * Repairs subjects, each as the provider and the store have it now: what was equal, or told by a webhook, since the plan is
 * left alone. So is what must not come in: a record with an erased person, one older than events are kept, a subject
 * whose latest event is a sample, and whatever the provider does not show. A record that does not match the contract goes
 * to quarantine, as a webhook would.
 *
 * @throws ClientError when the provider is away
 */
export function createRepairSubject(deps: RepairDeps): RepairSubject {
  const { store, registry, clock, keepMs } = deps;
  const { contract } = registry;
  const listed = createLists(clock);

  async function repair(...[name, { source, handlers }, signal]: Parameters<RepairSubject>) {
    const client = deps.client(source);
    const subject = parseSubjectName(name);
    if (client === null)
      throw new PortariaError(
        'misconfigured',
        `source ${source} has no API to repair from: set its URL and key`,
      );
    if (subject === undefined) return null;
    const family = subject.family as Family;
    const pace = (): Promise<void> => Promise.resolve();
    const judgeDeps = { client, store, contract, source, pace, signal };
    for (let look = 0; look < MAX_LOOKS; look += 1) {
      const slip = isSlip(family) ? (await listed(client, family, signal)).get(subject.id) : undefined;
      const judged = await createJudge(judgeDeps, family, Infinity).judge(subject.id, slip);
      const change = changeOf(family, judged, slip);
      if (change === null || (judged.record !== null && isTooOld(change.record))) return null;
      if (judged.record === null && !(await isGone(client, family, subject.id, signal))) return null;
      const delivery = deliveryOf(source, change);
      const parsed = deps.parse(delivery);
      const eraser = await createArrivalEraser(store, contract);
      if (parsed.stage === 'rejected') {
        if (eraser === null || eraser.rejected(parsed) === parsed) await store.quarantine(parsed);
        return null;
      }
      const quiet = handlers === 'all' ? [] : (['no-handlers'] as const);
      const event = deps.identify({ ...parsed, flags: [...parsed.flags, 'reconciled', ...quiet] });
      // A list that is older than the newest webhook.
      if ((event.version ?? '') < (judged.latest?.version ?? '') && event.version !== null) return null;
      if (eraser !== null && eraser.event(event) !== event) return null;
      const routes = registry.routesFor(parsed, source).filter((route) => isTold(route, handlers));
      const latest = judged.latest?.id ?? null;
      const stored = await store.acceptUnlessMoved(event, routes, { latest });
      if (stored.status === 'stored') return stored.id;
      if (stored.status !== 'moved') return null;
    }
    return null;
  }

  function isTold({ handler }: Route, handlers: RepairSelection['handlers']): boolean {
    if (handlers !== 'machines') return handlers === 'all';
    return registry.definitions.some(({ type, name }) => type === 'machine' && name === handler);
  }

  /** A 404 alone may be that of a proxy: the record must be missing in a list of others, too. */
  async function isGone(client: Client, family: Family, id: string, signal: AbortSignal): Promise<boolean> {
    const others = await listed(client, family, signal);
    return others.size > 0 && !others.has(id);
  }

  function isTooOld(record: JsonObject): boolean {
    const at = changeTime(record);
    return keepMs !== null && at !== null && Date.parse(at) < clock.now() - keepMs;
  }

  function deliveryOf(source: string, { kind, record }: Change): VerifiedDelivery {
    return {
      ...{ stage: 'verified', source, senderVerified: true, receivedAt: clock.now(), headers: {} },
      ...{ messageId: null, messageIdTrusted: false },
      body: Buffer.from(JSON.stringify({ type: kind, data: record })),
    };
  }

  return async (...asked) => {
    try {
      return await repair(...asked);
    } catch (error) {
      const isAbout =
        error instanceof LookFailed ||
        (ClientError.is(error) ? !outages.has(error.code) : PortariaError.is(error, 'invalid-argument'));
      if (isAbout) return null;
      throw error;
    }
  };
}

/** The event that a record stands for. */
interface Change {
  readonly kind: string;
  readonly record: JsonObject;
}

function changeOf(
  family: Family,
  { difference, record, latest, data }: Judged,
  listed: JsonObject | undefined,
): Change | null {
  if (latest?.flags.includes('sample') === true) return null;
  const kind = difference === null ? undefined : repairKind(family, difference.outcome);
  // The event of a deletion carries the removed record (specification, Events).
  const whole = difference?.outcome === 'removed' ? data : (listed ?? record);
  return kind === undefined || whole === null ? null : { kind, record: whole };
}

/** Slips of a charge come without their charge and their times when they are read alone. Other records are whole alone. */
function isSlip(family: Family): boolean {
  return family === 'charge-payment-slip';
}

/** Milliseconds for which a list that was read stands for its records. */
const LISTED_MS = 60_000;

/** Reads the records of a family by their ids from its whole list, which serves for a minute. */
function createLists(clock: Clock) {
  interface Listed {
    readonly at: number;
    readonly records: Map<string, JsonObject>;
  }
  const lists = new Map<Client, Map<Family, Listed>>();
  return async (client: Client, family: Family, signal: AbortSignal) => {
    const own = lists.get(client) ?? new Map<Family, Listed>();
    lists.set(client, own);
    let listed = own.get(family);
    if (listed === undefined || clock.monotonic() - listed.at > LISTED_MS) {
      listed = { at: clock.monotonic(), records: new Map() };
      for await (const record of recordLists[family]?.list(client).all({}, { signal }) ?? [])
        if (isJsonObject(record)) listed.records.set(recordId(record) ?? '', record);
      own.set(family, listed);
    }
    return listed.records;
  };
}
