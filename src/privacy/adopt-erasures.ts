/** Takes over erasures that another copy of the store knows. */
import { PortariaError } from '../kernel/errors.ts';
import type { ErasureRecord, Privacy } from '../store/privacy.ts';
import { fingerprint, publicKeyOf, type Receipt } from './receipt.ts';

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
