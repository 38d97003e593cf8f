/** Recognizes a webhook that comes after a repair has told its change. */
import type { Contract } from '../contract/contract.ts';
import type { IdentifiedEvent } from '../event/event.ts';
import type { EventRecord } from '../event/stored-event.ts';
import { changeOf } from '../event/version-order.ts';
import type { Registry } from '../handle/load/registry.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../kernel/json/json.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { rebuildMachines, type RebuildDeps } from '../operate/change/rebuild-machines.ts';
import type { Inbox } from '../store/inbox.ts';
import { createArrivalEraser } from '../privacy/erase-arrival.ts';
import type { MachineStates } from '../store/machine-states.ts';
import type { Privacy } from '../store/privacy.ts';
import type { Queries } from '../store/queries.ts';
import { payloadIn, recordDifferences } from './record-differences.ts';

type SettlingStore = Inbox &
  Pick<Queries, 'events' | 'event'> &
  Pick<Privacy, 'erasures' | 'erasureKey'> &
  RebuildDeps['store'] & { readonly machineState: MachineStates['machineState'] };

interface SettleDeps {
  readonly registry: Pick<Registry, 'contract' | 'routesFor' | 'definitions'>;
  readonly clock: Clock;
}

/** Reconciled events of a subject that are compared with a webhook: the newest ones. */
const MAX_COMPARED = 20;

/** Replaces how a store accepts events by {@link createSettledAccept}. */
export function withSettledAccept<S extends SettlingStore>(store: S, deps: SettleDeps): S {
  return { ...store, accept: createSettledAccept(store, deps) };
}

/**
 * Accepts events as a store does, except that a webhook with the content of a reconciled event is a repeat of it: of the
 * same change, by its version, and equal in the fields that both have. It fills in what records lack, such as
 * `company.tax_id`. A handler that was not told of the reconciled event, or does not take its kind, gets it now.
 */
function createSettledAccept(store: SettlingStore, { registry, clock }: SettleDeps): Inbox['accept'] {
  const { contract } = registry;

  /** States that were folded of the record have what the webhook filled in, too. */
  async function refold({ source, subject }: EventRecord): Promise<void> {
    for (const { type, name: machine } of registry.definitions) {
      if (type !== 'machine' || (await store.machineState(machine, source, subject)) === null) continue;
      const rebuilt = rebuildMachines(
        { store, registry, clock },
        { machine, source, subject, dryRun: false },
      );
      await Array.fromAsync(rebuilt);
    }
  }

  /** Who has heard of a reconciled event: of one that was told to machines or to nobody, no handler has. */
  function heardOf({ flags, source, ...event }: EventRecord): ReadonlySet<string> {
    const all = registry.routesFor(event, source).map(({ handler }) => handler);
    if (!flags.includes('no-handlers')) return new Set(all);
    const machines = registry.definitions.filter(({ type }) => type === 'machine').map(({ name }) => name);
    return new Set(all.filter((name) => machines.includes(name)));
  }

  return async (event, routes, options) => {
    if (event.parsed.flags.includes('sample')) return store.accept(event, routes, options);
    for (let compared: string | null = null; ;) {
      const stored = await store.acceptUnlessMoved(event, routes, { ...options, compared });
      if (stored.status !== 'moved') return stored;
      compared = stored.reconciled;
      const same = await findReconciled(store, contract, event);
      if (same === null) continue;
      const heard = heardOf(same);
      const filling = {
        content: bodyIn(same.kind, event),
        routes: routes.filter(({ handler }) => !heard.has(handler)),
        overtaken: options?.overtaken ?? [],
      };
      // Counted as a repeat at the end: until then, the sender's next try does all of it again.
      if (await store.fillReconciled(same.id, event, filling)) await refold(same);
    }
  };
}

/** The reconciled event of which a webhook is a repeat. */
async function findReconciled(
  store: SettlingStore,
  contract: Contract,
  event: IdentifiedEvent,
): Promise<EventRecord | null> {
  const { parsed, subject, version } = event;
  const { source } = parsed.delivery;
  const page = { order: 'newest', limit: MAX_COMPARED } as const;
  for (const { id } of await store.events({ source, subject, flag: 'reconciled' }, page)) {
    const known = await store.event(id);
    if (known === null || known.repeats > 0 || !isSameChange(known.version, version)) continue;
    const ours = known.body === null ? null : payloadIn(contract, source, known.body);
    const isErased = known.flags.includes('erased');
    // Of what was pruned or erased, the version tells; without one, the webhook as an erasure would leave it.
    const theirs = isErased ? await erasedData(store, contract, event) : parsed.data;
    const isSame =
      isJsonObject(ours) && recordDifferences(subject.family, ours, theirs as JsonObject).length === 0;
    if (isSame || (version !== null && (ours === null || isErased))) return known;
  }
  return null;
}

async function erasedData(
  store: Pick<Privacy, 'erasures' | 'erasureKey'>,
  contract: Contract,
  event: IdentifiedEvent,
): Promise<JsonValue> {
  const eraser = await createArrivalEraser(store, contract);
  return (eraser?.event(event) ?? event).parsed.data;
}

function isSameChange(one: string | null, other: string | null): boolean {
  return one === null || other === null ? one === other : changeOf(one) === changeOf(other);
}

/** The bytes of a webhook, or its data as an event of another kind: a certificate is part of a company's update, too. */
function bodyIn(kind: string, { parsed }: IdentifiedEvent): Uint8Array {
  if (kind === parsed.kind) return parsed.delivery.body;
  return Buffer.from(JSON.stringify({ type: kind, data: parsed.data }));
}
