/** Sends a record of the provider the way of a webhook, where no webhook has told it. */
import { ClientError } from '../client/client-error.ts';
import type { Client } from '../client/client.ts';
import { outages } from '../confirm/create-confirm.ts';
import type { Family } from '../contract/family.ts';
import type { VerifiedDelivery } from '../event/delivery.ts';
import { parseSubjectName } from '../event/subject.ts';
import type { Registry } from '../handle/load/registry.ts';
import type { Identify } from '../identify/identify.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json/json.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { Parse } from '../parse/parse.ts';
import { createArrivalEraser } from '../privacy/erase-arrival.ts';
import type { Inbox } from '../store/inbox.ts';
import type { Privacy } from '../store/privacy.ts';
import type { Queries } from '../store/queries.ts';
import type { Route } from '../store/route.ts';
import type { RepairSelection } from '../store/jobs.ts';
import { changeTime, createJudge, LookFailed, type Judged } from './judge-subject.ts';
import { kindsOf } from './record-lists.ts';

export interface RepairDeps {
  readonly store: Inbox & Pick<Queries, 'events' | 'event'> & Pick<Privacy, 'erasures' | 'erasureKey'>;
  readonly registry: Pick<Registry, 'contract' | 'definitions' | 'routesFor'>;
  readonly parse: Parse;
  readonly identify: Identify;
  readonly clock: Clock;
  readonly client: (source: string) => Client | null;
  /** Milliseconds for which events are kept; null for ever. */
  readonly keepMs: number | null;
}

/** Returns the id of the event that a record became; null where the subject was left as it is. */
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
  const listedSlip = createListedSlips(clock);

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
      const listed = await listedSlip(client, family, subject.id, signal);
      const judged = await createJudge(judgeDeps, family, Infinity).judge(subject.id, listed);
      const change = changeOf(family, judged, listed);
      if (change === null || (judged.record !== null && isTooOld(change.record))) return null;
      const delivery = deliveryOf(source, change);
      const parsed = deps.parse(delivery);
      if (parsed.stage === 'rejected') {
        await store.quarantine(parsed);
        return null;
      }
      const quiet = handlers === 'all' ? [] : (['no-handlers'] as const);
      const event = deps.identify({ ...parsed, flags: [...parsed.flags, 'reconciled', ...quiet] });
      // A list that is older than the newest webhook.
      if ((event.version ?? '') < (judged.latest?.version ?? '') && event.version !== null) return null;
      const eraser = await createArrivalEraser(store, contract);
      if (eraser !== null && eraser.event(event) !== event) return null;
      const routes = registry.routesFor(parsed, source).filter((route) => hears(route, handlers));
      const latest = judged.latest?.id ?? null;
      const stored = await store.acceptUnlessMoved(event, routes, { latest });
      if (stored.status === 'stored') return stored.id;
      if (stored.status !== 'moved') return null;
    }
    return null;
  }

  function hears({ handler }: Route, handlers: RepairSelection['handlers']): boolean {
    if (handlers !== 'machines') return handlers === 'all';
    return registry.definitions.some(({ type, name }) => type === 'machine' && name === handler);
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
      const isAbout = error instanceof LookFailed || (ClientError.is(error) && !outages.has(error.code));
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
  const of = (ending: string): string | undefined =>
    kindsOf(family).find((kind) => kind.endsWith(`.${ending}`));
  switch (difference?.outcome) {
    case 'missed':
    case 'behind': {
      const kind = of(latest === undefined ? 'created' : 'updated');
      const whole = listed ?? record;
      return kind === undefined || whole === null ? null : { kind, record: whole };
    }
    case 'removed': {
      // The event of a deletion carries the removed record (specification, Events).
      const kind = of('deleted');
      return kind === undefined || data === null ? null : { kind, record: data };
    }
    default:
      return null;
  }
}

/** Milliseconds for which a list that was read stands for its records. */
const LISTED_MS = 60_000;

/**
 * Slips of a charge come without their charge and their times when they are read alone, and nothing else names their
 * charge: they are read from their list, which serves for a minute. Other records are whole alone.
 */
function createListedSlips(clock: Clock) {
  const lists = new Map<Client, { readonly at: number; readonly slips: Map<string, JsonObject> }>();
  return async (client: Client, family: Family, id: string, signal: AbortSignal) => {
    if (family !== 'charge-payment-slip') return undefined;
    let listed = lists.get(client);
    if (listed === undefined || clock.monotonic() - listed.at > LISTED_MS) {
      listed = { at: clock.monotonic(), slips: new Map() };
      for await (const slip of client.charges.paymentSlips.all({}, { signal }))
        listed.slips.set(String(slip.id), slip as unknown as JsonObject);
      lists.set(client, listed);
    }
    return listed.slips.get(id);
  };
}
