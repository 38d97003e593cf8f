/** Erases a person from a whole store. */
import type { Contract } from '../contract/contract.ts';
import { subjectName, type Subject } from '../event/subject.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { pause } from '../kernel/time/pause.ts';
import type {
  ContentChange,
  ErasureRecord,
  ErasureLock,
  HashedIdentifier,
  Hold,
  Privacy,
} from '../store/privacy.ts';
import type { Finding } from './erase-content.ts';
import type { ErasedValue } from './erase-payload.ts';
import { requireErasureReason } from './erasure-reason.ts';
import type { Identifier } from './identifier.ts';
import { erasableLedger, holdsOf, rejectHeld } from './erasable.ts';
import { eitherOf, hashIdentifier, personOf, personsOf, type Person } from './person.ts';
import { noRows, type RowCounts } from './plan-erasure.ts';
import { derivedFindings, scanStore, type ReportScan, type ScannedStore } from './scan-store.ts';
import { collectSearchedValues, type SearchedValues } from './files/search-files.ts';

/** Rows of one commit: a running `serve` waits no longer for it than for a few webhooks. */
const BATCH = 100;
/** Passes over the store. The last one finds nothing. */
const MAX_PASSES = 5;
/** How long to wait for handlers that may have read the data before it was erased, in milliseconds. */
const MAX_WAIT_MS = 30_000;
const POLL_MS = 200;
/**
 * The maximum number of events whose erased values are kept, so that what running handlers write later can be
 * erased.
 */
const MAX_REMEMBERED = 10_000;

export type ErasedStore = ScannedStore &
  Pick<
    Privacy,
    | 'erasureKey'
    | 'eraseAlone'
    | 'eraseContents'
    | 'runningErased'
    | 'holds'
    | 'beginErasure'
    | 'beginErasureRun'
    | 'finishErasure'
    | 'erasures'
    | 'truncateLog'
  >;

export interface EraseDeps {
  readonly store: ErasedStore;
  readonly contract: Contract;
  readonly clock: Clock;
  readonly report?: ReportScan;
  /** Aborted when the right to erase is lost: nothing is erased afterwards. */
  readonly signal?: AbortSignal;
}

export interface ErasePersonDeps extends EraseDeps {
  readonly lock: Pick<ErasureLock, 'process' | 'since'>;
  /** Called with the ledger's id, before anything is erased. */
  readonly begun?: (id: string) => void;
}

/** What an erasure did, or would do. */
export interface ErasureResult {
  /** The ledger's id. */
  readonly id: string;
  /** Rows that this run changed, by place. The ledger has those of all runs. */
  readonly rows: RowCounts;
  /** Rows that stay because their subject is held. */
  readonly held: number;
  /** These subjects, `family:id`. */
  readonly heldSubjects: readonly string[];
  /** Holds of the person that were placed while the rows were erased: the rest of them stays. */
  readonly holds: readonly Hold[];
  /** Whether the last pass found nothing that is not held. */
  readonly complete: boolean;
  /** Deliveries that may still write what they read before; 0 when complete. */
  readonly running: number;
  /** Whether the log holds no earlier content any more. */
  readonly logEmptied: boolean;
  readonly identifiers: readonly HashedIdentifier[];
  /** Recognizes the person by the ledger, when an interrupted erasure was continued; null otherwise. */
  readonly resumed: Person | null;
  /** What was erased, for the search of the file. */
  readonly searched: SearchedValues;
}

/**
 * Erases a person everywhere in a store, in small steps beside a running `serve`. It can be repeated: an
 * interrupted erasure continues where data is left, and a complete one changes nothing.
 *
 * @param identifiers all of them, as `relatedIdentifiers` returns them
 * @throws PortariaError `erasure-refused` when a subject of the person is held, `invalid-argument` when the reason names
 *   the person
 */
export async function erasePerson(
  deps: ErasePersonDeps,
  identifiers: readonly Identifier[],
  request: { readonly requestedBy: string; readonly reason: string },
): Promise<ErasureResult> {
  const known = personOf(identifiers);
  requireErasureReason(request.reason, identifiers);
  if (known.findIn(request.requestedBy).length > 0)
    throw new PortariaError(
      'invalid-argument',
      'Who erases is stored and printed in the receipt, and it names the person: write it without',
    );
  const key = await deps.store.erasureKey();
  const hashed = identifiers.map((identifier) => hashIdentifier(identifier, key));
  // An interrupted erasure may have erased what led from one identifier to another: the ledger knows both. One that has
  // the receipt of another database keeps it, and is followed by an erasure with a receipt of its own.
  const begun = (await deps.store.erasures()).find(
    (one) => one.finishedAt === null && one.receipt === null && isSame(one, hashed),
  );
  const all = begun === undefined ? hashed : distinct([...hashed, ...begun.identifiers]);
  const resumed = begun === undefined ? null : eitherOf(known, personsOf(begun.identifiers, key));
  const person = resumed ?? known;
  rejectHeld(await deps.store.holds(), person);
  deps.signal?.throwIfAborted();
  const id = begun?.id ?? (await deps.store.beginErasure({ ...request, identifiers: all }));
  return { ...(await eraseInRun(deps, { id, identifiers: all }, person)), resumed };
}

/**
 * Goes on with an interrupted erasure by the hashes of the ledger alone, when nobody knows the identifiers any more.
 *
 * @param erasure one that `erasableLedger` admits
 */
export async function resumeErasure(
  deps: ErasePersonDeps,
  erasure: Pick<ErasureRecord, 'id' | 'identifiers'>,
): Promise<ErasureResult> {
  const person = personsOf(erasure.identifiers, await deps.store.erasureKey());
  deps.signal?.throwIfAborted();
  return { ...(await eraseInRun(deps, erasure, person)), resumed: person };
}

async function eraseInRun(
  deps: ErasePersonDeps,
  { id, identifiers }: Pick<ErasureRecord, 'id' | 'identifiers'>,
  person: Person,
): Promise<Omit<ErasureResult, 'resumed'>> {
  const { process, since } = deps.lock;
  await deps.store.beginErasureRun(id, { identifiers, process, startedAt: since });
  deps.begun?.(id);
  return { ...(await eraseEverywhere(deps, person, id)), id, identifiers };
}

/** What erasing everyone in the ledger again did. */
export interface ErasedAgain extends Pick<
  ErasureResult,
  'rows' | 'held' | 'heldSubjects' | 'holds' | 'complete' | 'running' | 'logEmptied'
> {
  /** Ids of the erasures that were not applied, or not to the end, because the person is held. */
  readonly keptByHold: readonly string[];
}

/**
 * Erases everyone in the ledger again whom no hold protects: what was erased may be back after a restore or an import.
 * An erasure that another copy of the store made ends here, with the receipt of that copy.
 *
 * @param except ids of erasures that are done already
 */
export async function eraseAgain(deps: EraseDeps, except: readonly string[] = []): Promise<ErasedAgain> {
  const { store } = deps;
  const { erasable: all, held } = await erasableLedger(store);
  const erasable = all.filter(({ id }) => !except.includes(id));
  const keptByHold = held.map(({ id }) => id);
  const identifiers = erasable.flatMap((erasure) => erasure.identifiers);
  if (identifiers.length === 0) return { ...nothing, keptByHold };
  const result = await eraseEverywhere(deps, personsOf(identifiers, await store.erasureKey()), null);
  if (result.holds.length > 0)
    return { ...result, keptByHold: (await erasableLedger(store)).held.map(({ id }) => id) };
  if (result.complete && result.logEmptied)
    for (const { id, finishedAt, runs } of erasable)
      if (finishedAt === null && runs.length === 0) await store.finishErasure(id, null);
  return { ...result, keptByHold };
}

/**
 * Erases in passes, until a pass finds nothing or one of the people is held.
 *
 * @param erasure counts the erased rows in the ledger; null when the rows belong to no single erasure
 */
async function eraseEverywhere(
  { store, contract, clock, report, signal }: EraseDeps,
  person: Person,
  erasure: string | null,
): Promise<Omit<ErasureResult, 'id' | 'identifiers' | 'resumed'>> {
  const rows = noRows();
  const taken = new Map<string, readonly ErasedValue[]>();
  const searched = collectSearchedValues();
  let held = 0;
  let heldSubjects = new Set<string>();
  let running = 0;
  let complete = false;
  const holds = await passes().catch(heldMeanwhile);
  const logEmptied = await emptyLog();
  return { rows, held, heldSubjects: [...heldSubjects], holds, complete, running, logEmptied, searched };

  async function passes(): Promise<readonly Hold[]> {
    for (let pass = 0; pass < MAX_PASSES && !complete; pass += 1) {
      const found = await erasePass();
      running = await waitForRunning();
      const late = await eraseDerived();
      ({ held } = found);
      complete = found.changed + found.outdated + late === 0 && running === 0;
      if (running > 0) break;
    }
    return [];
  }

  async function erasePass(): Promise<{ changed: number; held: number; outdated: number }> {
    const sum = { changed: 0, held: 0, outdated: 0 };
    heldSubjects = new Set();
    let batch: Finding[] = [];
    const commit = async (): Promise<void> => {
      const counts = await apply(batch);
      for (const name of ['changed', 'held', 'outdated'] as const) sum[name] += counts[name];
      batch = [];
    };
    for await (const findings of scanStore(store, person, contract, report)) {
      const [{ content, values: erased }] = findings as readonly [Finding];
      if (content.place === 'event') remember(content.id, erased);
      // An event and its derived rows are one commit: their values are known only together.
      batch.push(...findings);
      if (batch.length >= BATCH) await commit();
    }
    await commit();
    return sum;
  }

  async function apply(findings: readonly Finding[]) {
    const sum = { changed: 0, held: 0, outdated: 0 };
    if (findings.length === 0) return sum;
    const changes: readonly ContentChange[] = findings.map(({ change }) => change);
    const options = { knownHolds: await heldOfOthers(), ...(erasure !== null && { erasure }) };
    signal?.throwIfAborted();
    for (const [at, outcome] of (await store.eraseContents(changes, options)).entries()) {
      const { place, subject } = findings[at]!.content;
      sum[outcome] += 1;
      if (outcome === 'changed') rows[place] += 1;
      if (outcome === 'held' && subject !== null) heldSubjects.add(subjectName(subject));
    }
    return sum;
  }

  /** An operator may hold the person at any time: no page of rows is erased afterwards. */
  async function heldOfOthers(): Promise<readonly Subject[]> {
    const all = await store.holds();
    const own = holdsOf(person, all);
    if (own.length > 0) throw new HeldMeanwhile(own);
    return all.map(({ subject }) => subject);
  }

  function remember(eventId: string, erased: readonly ErasedValue[]): void {
    for (const { value } of erased) searched.add(String(value));
    taken.set(eventId, erased);
    const [oldest] = taken.keys();
    if (taken.size > MAX_REMEMBERED && oldest !== undefined) taken.delete(oldest);
  }

  /** Handlers that began before the erasure hold the data in memory, and may store it in an error or a state. */
  async function waitForRunning(): Promise<number> {
    const end = clock.monotonic() + MAX_WAIT_MS;
    for (;;) {
      const count = await store.runningErased();
      if (count === 0 || clock.monotonic() >= end) return count;
      await pause(clock, POLL_MS);
    }
  }

  async function eraseDerived(): Promise<number> {
    let changed = 0;
    for (const [eventId, erased] of taken)
      changed += (await apply(await derivedFindings(store, eventId, person, contract, erased))).changed;
    return changed;
  }

  async function emptyLog(): Promise<boolean> {
    const end = clock.monotonic() + MAX_WAIT_MS;
    for (;;) {
      if (await store.truncateLog()) return true;
      if (clock.monotonic() >= end) return false;
      await pause(clock, POLL_MS);
    }
  }
}

/** Ends an erasure between two pages of rows. */
class HeldMeanwhile extends Error {
  readonly holds: readonly Hold[];

  constructor(holds: readonly Hold[]) {
    super('the person is held');
    this.holds = holds;
  }
}

function heldMeanwhile(error: unknown): readonly Hold[] {
  if (error instanceof HeldMeanwhile) return error.holds;
  throw error;
}

/** Whether an erasure of the ledger is of the same person. */
function isSame({ identifiers }: ErasureRecord, hashed: readonly HashedIdentifier[]): boolean {
  const known = new Set(identifiers.map(({ hash }) => hash));
  return hashed.some(({ hash }) => known.has(hash));
}

function distinct(identifiers: readonly HashedIdentifier[]): readonly HashedIdentifier[] {
  return [...new Map(identifiers.map((one) => [one.hash, one])).values()];
}

const nothing = {
  rows: noRows(),
  held: 0,
  heldSubjects: [],
  holds: [],
  complete: true,
  running: 0,
  logEmptied: true,
} as const;
