/** Finds how webhooks that were received differ from the contract. */
import { z } from 'zod';
import { eachPage } from '../../kernel/row-pages.ts';
import type { Contract } from '../../contract/contract.ts';
import { patternMatches } from '../../contract/event-pattern.ts';
import type { Fields } from '../../contract/fields.ts';
import type { KindContract } from '../../contract/kind-contract.ts';
import type { JsonValue } from '../../kernel/json/json.ts';
import { beginTimeSlice } from '../../kernel/time/time-slice.ts';
import type { MachineStates } from '../../store/machine-states.ts';
import type { Queries } from '../../store/queries.ts';
import { storedEnvelope } from '../../view/payload/stored-envelope.ts';
import {
  jsonType,
  observePayload,
  stepOf,
  type Difference,
  type FieldDifference,
} from './observe-payload.ts';

/** One way in which the webhooks of a kind differ from the contract. */
export interface Drift {
  readonly source: string;
  readonly kind: string;
  /** Within `data`; empty for an unknown kind. */
  readonly path: string;
  /** `unknown-kind`: the contract lacks the kind. `never`: a declared field that no event has. */
  readonly difference: Difference | 'unknown-kind' | 'never';
  /** The JSON type that came; null for fields that never came. */
  readonly type: string | null;
  /** An unlisted value; null where it may be personal, or is no word. */
  readonly value: string | null;
  /** Milliseconds since 1970; null for fields that never came. */
  readonly firstSeenAt: number | null;
  readonly lastSeenAt: number | null;
  /** The number of stored events and bodies in quarantine; for `never`, of all of the kind. */
  readonly webhooks: number;
  /** How many of them are in quarantine. */
  readonly held: number;
  /** The schema of the declared field. */
  readonly schema: z.core.$ZodType | undefined;
}

export type DriftStore = Pick<Queries, 'events' | 'quarantined' | 'quarantinedDelivery'> &
  Pick<MachineStates, 'storedEvents'>;

export interface DriftRequest {
  /** Received at or after, in milliseconds since 1970. */
  readonly since?: number;
  /** Only webhooks of these kinds or wildcards. */
  readonly kinds?: readonly string[];
}

/** The maximum number of differences: senders choose names and kinds. */
export const MAX_DRIFTS = 5_000;
/** Rows read at a time. */
const PAGE = 200;
/** What an unlisted value must look like to be shown: a word, no name or number of a person. */
const WORD = /^[A-Za-z][A-Za-z_.-]{0,39}$/;

/** The differences that were found, and whether there were more than are kept. */
export interface FoundDrift {
  readonly drifts: readonly Drift[];
  readonly truncated: boolean;
}

/**
 * Compares stored and quarantined bodies with the contract. Reads them page by page, and yields to the event loop; its
 * memory does not grow with the store.
 */
export async function collectDrift(
  store: DriftStore,
  contract: Contract,
  request: DriftRequest,
): Promise<FoundDrift> {
  const found = createFindings(contract);
  for await (const payload of payloadsOf(store, contract, request)) found.add(payload);
  return found.result();
}

/** A payload with where and when it came from. */
interface ReceivedPayload {
  readonly source: string;
  readonly kind: string;
  readonly data: JsonValue;
  readonly receivedAt: number;
  readonly isQuarantined: boolean;
}

async function* payloadsOf(
  store: DriftStore,
  contract: Contract,
  { since, kinds }: DriftRequest,
): AsyncGenerator<ReceivedPayload> {
  const slice = beginTimeSlice();
  const filter = { ...(since !== undefined && { since }), ...(kinds !== undefined && { kinds }) };
  for await (const page of eachPage((page) => store.events(filter, { order: 'oldest', ...page }), {
    limit: PAGE,
  }))
    for (const event of await store.storedEvents(page.map(({ id }) => id))) {
      yield { ...event, isQuarantined: false };
      if (slice.isOver()) await slice.next();
    }
  for await (const page of eachPage(
    (page) => store.quarantined({ status: 'held' }, { order: 'oldest', ...page }),
    { limit: PAGE },
  ))
    for (const { id, receivedAt } of page) {
      if (since !== undefined && receivedAt < since) continue;
      const delivery = await store.quarantinedDelivery(id);
      const envelope = delivery === null ? undefined : storedEnvelope(delivery, contract);
      if (delivery === null || envelope === undefined) continue;
      if (kinds?.some((pattern) => patternMatches(pattern, envelope.kind)) === false) continue;
      yield { source: delivery.source, receivedAt, isQuarantined: true, ...envelope };
    }
}

interface Tally {
  readonly contract: KindContract | undefined;
  readonly source: string;
  readonly kind: string;
  readonly came: Set<string>;
  webhooks: number;
  held: number;
}

function createFindings(contract: Contract) {
  const drifts = new Map<string, { -readonly [Name in keyof Drift]: Drift[Name] }>();
  const tallies = new Map<string, Tally>();
  let truncated = false;

  function note(
    { source, kind, receivedAt, isQuarantined }: ReceivedPayload,
    observation: Omit<FieldDifference, 'difference'> & Pick<Drift, 'difference'>,
  ): void {
    const { path, difference, type, value, schema } = observation;
    const key = JSON.stringify([source, kind, path, difference, type, value]);
    const known = drifts.get(key);
    if (known !== undefined) {
      known.webhooks += 1;
      known.held += Number(isQuarantined);
      known.firstSeenAt = Math.min(known.firstSeenAt ?? receivedAt, receivedAt);
      known.lastSeenAt = Math.max(known.lastSeenAt ?? receivedAt, receivedAt);
    } else if (drifts.size >= MAX_DRIFTS) truncated = true;
    else
      drifts.set(key, {
        ...{ source, kind, path, difference, type, value, schema },
        firstSeenAt: receivedAt,
        lastSeenAt: receivedAt,
        webhooks: 1,
        held: Number(isQuarantined),
      });
  }

  function tallyOf({ source, kind }: ReceivedPayload): Tally | undefined {
    const key = JSON.stringify([source, kind]);
    let tally = tallies.get(key);
    if (tally === undefined) {
      if (tallies.size >= MAX_DRIFTS) return undefined;
      tally = { contract: contract.find(source, kind), source, kind, came: new Set(), webhooks: 0, held: 0 };
      tallies.set(key, tally);
    }
    return tally;
  }

  return {
    add(payload: ReceivedPayload): void {
      const tally = tallyOf(payload);
      if (tally === undefined) {
        truncated = true;
        return;
      }
      tally.webhooks += 1;
      tally.held += Number(payload.isQuarantined);
      const { contract: kind, came } = tally;
      if (kind === undefined) {
        noteUnknownKind(payload, note);
        return;
      }
      if (kind.schema === null) return;
      // A field of a list counts once for each event.
      const seen = new Set<string>();
      observePayload(kind.schema, payload.data, {
        came: (path) => came.add(path),
        differs(observation) {
          const value = shownValue(observation, kind);
          const key = JSON.stringify([observation.path, observation.difference, observation.type, value]);
          if (seen.has(key)) return;
          seen.add(key);
          note(payload, { ...observation, value });
        },
      });
    },
    result(): FoundDrift {
      const never = [...tallies.values()].flatMap(neverCame);
      return { drifts: [...drifts.values(), ...never].toSorted(byPath), truncated };
    },
  };
}

function noteUnknownKind(
  payload: ReceivedPayload,
  note: (
    payload: ReceivedPayload,
    drift: Omit<FieldDifference, 'difference'> & Pick<Drift, 'difference'>,
  ) => void,
): void {
  const undeclared = { value: null, schema: undefined } as const;
  note(payload, { ...undeclared, path: '', difference: 'unknown-kind', type: jsonType(payload.data) });
  if (typeof payload.data !== 'object' || payload.data === null || Array.isArray(payload.data)) return;
  for (const [name, value] of Object.entries(payload.data as Readonly<Record<string, JsonValue>>))
    note(payload, {
      ...undeclared,
      path: stepOf(name),
      difference: 'undeclared',
      type: jsonType(value),
    });
}

/** Shows a value only if its field is not personal, and the value looks like a member of an enumeration. */
function shownValue({ path, value }: FieldDifference, { personalPaths }: KindContract): string | null {
  const plain = path.replaceAll('[]', '');
  const isPersonal = personalPaths.some((personal) => plain === personal || plain.startsWith(`${personal}.`));
  return value !== null && !isPersonal && WORD.test(value) ? value : null;
}

function neverCame({ contract, source, kind, came, webhooks, held }: Tally): readonly Drift[] {
  if (contract === undefined) return [];
  return declaredPaths(contract.fields, '', came).map((path) => ({
    ...{ source, kind, path, webhooks, held },
    difference: 'never',
    type: null,
    value: null,
    firstSeenAt: null,
    lastSeenAt: null,
    schema: undefined,
  }));
}

/** The declared paths that never came; of an object that never came, only the object. */
function declaredPaths(fields: Fields, prefix: string, came: ReadonlySet<string>): readonly string[] {
  return [...fields.values()].flatMap(({ name, schema, fields: inner }) => {
    const path = `${prefix}${name}`;
    if (!came.has(path)) return [path];
    return declaredPaths(inner, schema instanceof z.ZodArray ? `${path}[].` : `${path}.`, came);
  });
}

function byPath(one: Drift, other: Drift): number {
  const [first, second] = [one, other].map(({ source, kind, path }) => `${source}\0${kind}\0${path}`);
  return first === second ? 0 : String(first) < String(second) ? -1 : 1;
}
