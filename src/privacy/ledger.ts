/** The ledger of erasures: one erasure, what its runs erased, which one runs, and those of another copy of the store. */
import { PortariaError } from '../kernel/errors.ts';
import {
  contentPlaces,
  type ContentPlace,
  type ErasingProcess,
  type ErasureRecord,
  type Privacy,
} from '../store/privacy.ts';
import { noRows, type RowCounts } from './plan-erasure.ts';
import { fingerprint, publicKeyOf, type Receipt } from './receipt.ts';

/** The id of an erasure. */
export const ERASURE_ID = /^x[1-9]\d{0,15}$/u;

/** @throws PortariaError `not-found` */
export async function findErasure(store: Pick<Privacy, 'erasures'>, id: string): Promise<ErasureRecord> {
  const erasure = (await store.erasures()).find((one) => one.id === id);
  if (erasure === undefined) throw new PortariaError('not-found', `There is no erasure ${id}`);
  return erasure;
}

/** Rows by place; a place without any may be left out. */
export type SomeRows = Readonly<Partial<Record<ContentPlace, number | undefined>>>;

/** Adds up rows, such as those that the runs of an erasure erased, by place. */
export function sumRows(counts: readonly SomeRows[]): RowCounts {
  const sum = noRows();
  for (const rows of counts) for (const place of contentPlaces) sum[place] += rows[place] ?? 0;
  return sum;
}

/** Adds up the rows of all places. */
export function totalOfRows(rows: RowCounts): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}

/**
 * Whether an erasure is the one that runs.
 *
 * @param holder the process that erases now, as the store names it
 */
export function isRunBy({ finishedAt, runs }: ErasureRecord, holder: ErasingProcess | null): boolean {
  const last = runs.at(-1);
  if (finishedAt !== null || holder === null || last?.process !== holder.process) return false;
  // A user of PostgreSQL who may not see the sessions of others does not learn since when.
  return holder.since === null || last.startedAt === holder.since;
}

/** An erasure that another copy of this store knows: from its ledger or from a receipt. */
export interface KnownErasure extends Pick<
  ErasureRecord,
  'requestedBy' | 'reason' | 'identifiers' | 'receipt'
> {
  /** Where it comes from, for messages. */
  readonly origin: string;
  /** The public key of the store that erased. */
  readonly publicKey: string;
}

/**
 * Adds erasures to a store's ledger, unless it has them and their receipts: a restored copy is older than they
 * are. Returns the number of added ones. `eraseAgain` then applies them.
 *
 * @throws PortariaError `invalid-argument` when one is of a store with another key: its hashes mean nothing here
 */
export async function adoptErasures(
  store: Pick<Privacy, 'erasureKey' | 'erasures' | 'beginErasure'>,
  known: readonly KnownErasure[],
): Promise<number> {
  if (known.length === 0) return 0;
  const own = publicKeyOf(await store.erasureKey());
  const foreign = known.filter(({ publicKey }) => publicKey !== own);
  if (foreign.length > 0)
    throw new PortariaError('invalid-argument', `The key of this database is ${fingerprint(own)}`, {
      problems: foreign.map(({ origin, publicKey }) => ({
        where: origin,
        message: `is of a database with the key ${fingerprint(publicKey)}: its hashes cannot be used here`,
      })),
    });
  const ledger = await store.erasures();
  const hashes = new Set(ledger.flatMap(({ identifiers }) => identifiers.map(({ hash }) => hash)));
  const receipts = new Set(ledger.flatMap(({ receipt }) => signatureOf(receipt)));
  let added = 0;
  for (const { requestedBy, reason, identifiers, receipt } of known) {
    const isErasedHere = identifiers.every(({ hash }) => hashes.has(hash));
    const [signature] = signatureOf(receipt);
    if (isErasedHere && (signature === undefined || receipts.has(signature))) continue;
    await store.beginErasure({ requestedBy, reason, identifiers, receipt });
    for (const { hash } of identifiers) hashes.add(hash);
    if (signature !== undefined) receipts.add(signature);
    added += 1;
  }
  return added;
}

/** The signature of a receipt, by which it is known however it is written: none without a receipt. */
function signatureOf(receipt: string | null): readonly string[] {
  return receipt === null ? [] : [(JSON.parse(receipt) as Receipt).signature];
}
