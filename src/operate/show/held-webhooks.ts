/** What is known of held webhooks beyond their rows: likely names, and whether the same came later as an event. */
import type { Contract } from '../../contract/contract.ts';
import { parseSubjectName, subjectName } from '../../event/subject.ts';
import { createMemory } from '../../kernel/memory.ts';
import type { Queries, QuarantineRecord } from '../../store/queries.ts';
import { quarantineView, type QuarantineView } from '../../view/quarantine-view.ts';
import { isGuessed, likelyMeant } from './likely-meant.ts';

/** Newest events among which the later ones are looked for. */
const MAX_EVENTS = 2_000;

/** Bytes of bodies that are read for likely names: webhooks wait meanwhile. */
const MAX_BYTES = 1024 * 1024;

/** A held webhook as the console lists it. */
export interface HeldWebhook extends QuarantineView {
  /** Whether kind and subject are what a body that cannot be read seems to say. */
  readonly isGuess: boolean;
  /** Whether an event of its kind and subject came after it. */
  readonly isAcceptedLater: boolean;
}

/** The newest webhooks of a problem that are looked at, and listed in a report. */
const MAX_LISTED = 200;

/** What bodies seem to say until a person is erased from one, which a list that is read again and again would read each time. */
const remembered = createMemory<Pick<QuarantineRecord, 'kind' | 'subject'>>(10 * MAX_LISTED);

interface Known {
  readonly store: Pick<Queries, 'events' | 'quarantined' | 'quarantinedDelivery'>;
  readonly contract: Contract;
}

/** The newest held webhooks of a problem, by its fingerprint. */
export async function heldOfProblem(known: Known, problem: string): Promise<readonly HeldWebhook[]> {
  const filter = { status: 'held', problem } as const;
  return heldWebhooks(known, await known.store.quarantined(filter, { order: 'newest', limit: MAX_LISTED }));
}

/** How many held webhooks need somebody: of the newest, those that came later in a valid form do not. */
export async function unsettledWebhooks(known: Known, held: number): Promise<number> {
  if (held === 0) return 0;
  const newest = await known.store.quarantined({ status: 'held' }, { order: 'newest', limit: MAX_LISTED });
  return held - (await heldWebhooks(known, newest)).filter(({ isAcceptedLater }) => isAcceptedLater).length;
}

/** Names entries, and says which came later in a valid form. */
export async function heldWebhooks(
  { store, contract }: Pick<Known, 'contract'> & { readonly store: Omit<Known['store'], 'quarantined'> },
  entries: readonly QuarantineRecord[],
): Promise<readonly HeldWebhook[]> {
  const named: QuarantineRecord[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const read = async () => {
      const stored = await store.quarantinedDelivery(entry.id);
      bytes += stored?.body.byteLength ?? 0;
      const { kind, subject } = stored === null ? entry : likelyMeant(stored, contract);
      return { kind, subject };
    };
    const isRead = isGuessed(entry) && bytes < MAX_BYTES;
    const names = isRead && (entry.erased ? read() : remembered(store, entry.id, read));
    named.push({ ...entry, ...(await names) });
  }
  return markLater(store, named);
}

/** Says which of entries with their likely names came later in a valid form. */
export async function markLater(
  store: Pick<Queries, 'events'>,
  named: readonly QuarantineRecord[],
): Promise<readonly HeldWebhook[]> {
  const newest = await newestEvents(store, named);
  return named.map((entry) => ({
    ...quarantineView(entry),
    isGuess: isGuessed(entry) && entry.kind !== null,
    isAcceptedLater: (newest.get(keyOf(entry)) ?? -Infinity) > arrivedAt(entry),
  }));
}

/** When the newest event of each kind and subject arrived, of those that came after the first entry. */
async function newestEvents(
  store: Pick<Queries, 'events'>,
  entries: readonly QuarantineRecord[],
): Promise<ReadonlyMap<string, number>> {
  const kinds = new Set<string>();
  const subjects = entries.flatMap(({ source, kind, subject }) => {
    const parsed = subject === null || kind === null ? undefined : parseSubjectName(subject);
    if (parsed === undefined || kind === null) return [];
    kinds.add(kind);
    return [{ source, subject: parsed }];
  });
  if (subjects.length === 0) return new Map();
  const since = Math.min(...entries.map(arrivedAt));
  const events = await store.events(
    { subjects, kinds: [...kinds], since },
    { order: 'newest', limit: MAX_EVENTS },
  );
  return events.reduce((latest, { source, kind, subject, receivedAt }) => {
    const key = keyOf({ source, kind, subject: subjectName(subject) });
    // A release has a high number and an early time.
    return latest.set(key, Math.max(receivedAt, latest.get(key) ?? 0));
  }, new Map<string, number>());
}

function keyOf({ source, kind, subject }: Pick<QuarantineRecord, 'source' | 'kind' | 'subject'>): string {
  return `${source} ${kind ?? ''} ${subject ?? ''}`;
}

function arrivedAt({ receivedAt, lastRepeatAt }: QuarantineRecord): number {
  return lastRepeatAt ?? receivedAt;
}
