/** Erases again in a copy before it takes the place of the database. */
import { subjectName } from '../../../event/subject.ts';
import { failureReason } from '../../../kernel/failure-reason.ts';
import { adoptErasures } from '../../../privacy/ledger.ts';
import { holdsOf } from '../../../privacy/erasable.ts';
import { eraseAgain, type ErasedAgain } from '../../../privacy/erase-person.ts';
import { adoptHolds } from '../../../privacy/holds.ts';
import { personsOf } from '../../../privacy/person.ts';
import { publicKeyOf } from '../../../privacy/receipt.ts';
import type { RowCounts } from '../../../privacy/plan-erasure.ts';
import { readReplacedLedger, type ReplacedLedger } from '../../../store/sqlite/copies/replaced-database.ts';
import { openSqliteStore } from '../../../store/sqlite/open-sqlite-store.ts';
import type { Hold } from '../../../store/privacy.ts';
import type { KnownDefinition } from '../../../store/processes.ts';
import type { Store } from '../../../store/store.ts';
import { knownContract } from '../../known-contract.ts';
import { rejectMissing } from '../../../handle/load/require-contract.ts';
import type { Session } from '../../session.ts';
import { audited } from '../../audited.ts';
import { erasedAgainDetails } from '../privacy/erased-again.ts';
import { createScanProgress } from '../privacy/given-person.ts';

/** What was erased again in a copy before it took the place of the database. */
export interface ErasedInCopy {
  /** Erasures that the replaced database knew and the copy did not. */
  readonly adopted: number;
  /** Changed rows by place; null when nobody was ever erased. */
  readonly rows: RowCounts | null;
  /** Rows that stay because their subject is held. */
  readonly held: number;
  /** These subjects, `family:id`. */
  readonly heldSubjects: readonly string[];
  /** Ids of the erasures that were not applied, because the person is held. */
  readonly keptByHold: readonly string[];
  readonly complete: boolean;
  /** Legal holds of the replaced database that were taken over. */
  readonly holds: number;
  /** What of the replaced database was not taken over, and why, with the remedy; null when all was. */
  readonly missing: string | null;
}

export const nothingErased = {
  rows: null,
  held: 0,
  heldSubjects: [],
  keptByHold: [],
  complete: true,
} as const;

export interface EraseInCopyOptions {
  /** Erase by the contract of this command, also if `serve` knew more. */
  readonly force: boolean;
}

const REMEDY =
  'what was erased since the backup may be back: `portaria privacy reapply --receipts <files>`; its legal holds are not taken over: `portaria privacy hold add`';

/**
 * Applies the ledger of the replaced database, and the copy's own, to a copy that nobody
 * uses yet. The holds become those of the replaced database.
 *
 * @throws PortariaError `handler-invalid` when there are erasures and the handlers folder cannot be loaded;
 *   `misconfigured` when there are some, and `serve` knew kinds or sources that this command does not
 */
export async function eraseInCopy(
  session: Session,
  copy: string,
  replaced: string | null,
  { from, force }: EraseInCopyOptions & { readonly from: string },
): Promise<ErasedInCopy> {
  const { clock } = session.terminal;
  const { maxQuarantineBytes } = session.config();
  const { ledger, missing } = replaced === null ? { ledger: null, missing: null } : await ledgerOf(replaced);
  const store = await openSqliteStore({
    path: copy,
    role: 'owner',
    clock,
    maxQuarantineBytes,
    writer: 'local',
  });
  try {
    const holds = ledger?.holds ?? [];
    if (ledger !== null) await removeEndedHolds(store, holds);
    const adopted =
      ledger === null
        ? 0
        : await adoptErasures(
            store,
            ledger.erasures.map((one) => ({ ...one, origin: one.id, publicKey: publicKeyOf(ledger.key) })),
          );
    const definitions = force ? [] : (ledger?.definitions ?? null);
    await adoptHolds(store, await holdsOfUnfinished(store, ledger, holds));
    const erased = await eraseAudited(session, store, { adopted, definitions });
    // A finished erasure may be older than a hold: so the other holds come last.
    await adoptHolds(store, holds);
    // It is seen once the copy has taken its place.
    await audited(session, store, { action: 'restoreDatabase', subject: { from } }, async () => undefined);
    return { adopted, missing, holds: holds.length, ...erased };
  } finally {
    await store.close();
  }
}

async function ledgerOf(
  replaced: string,
): Promise<{ readonly ledger: ReplacedLedger | null; readonly missing: string | null }> {
  try {
    return { ledger: await readReplacedLedger(replaced), missing: null };
  } catch (error) {
    const missing = `The ledger of the replaced file cannot be read (${failureReason(error)}); ${REMEDY}`;
    return { ledger: null, missing };
  }
}

/** The replaced database still had the data of people whose erasure was unfinished: their holds protect it. */
async function holdsOfUnfinished(
  store: Store,
  ledger: ReplacedLedger | null,
  holds: readonly Hold[],
): Promise<readonly Hold[]> {
  const unfinished = (ledger?.erasures ?? (await store.erasures())).filter(
    ({ finishedAt }) => finishedAt === null,
  );
  const identifiers = unfinished.flatMap((erasure) => erasure.identifiers);
  return holdsOf(personsOf(identifiers, await store.erasureKey()), holds);
}

/** A hold that was removed since the backup would keep what was erased since then. */
async function removeEndedHolds(store: Store, current: readonly Hold[]): Promise<void> {
  const names = new Set(current.map(({ subject }) => subjectName(subject)));
  const ended = (await store.holds()).filter(({ subject }) => !names.has(subjectName(subject)));
  if (ended.length > 0) await store.removeHolds(ended.map(({ subject }) => subject));
}

/** Erases everyone in the ledger again. The audit records it, unless nobody was ever erased. */
async function eraseAudited(
  session: Session,
  store: Store,
  {
    adopted,
    definitions,
  }: { readonly adopted: number; readonly definitions: readonly KnownDefinition[] | null },
): Promise<Omit<ErasedInCopy, 'adopted' | 'holds' | 'missing'>> {
  if ((await store.erasures()).length === 0) return nothingErased;
  const operation = { action: 'reapplyErasures', subject: { adopted: String(adopted) }, announced: true };
  return audited(session, store, operation, async (addDetails) => {
    const erased = await eraseLedger(session, store, definitions);
    const isDone = erased.complete && erased.keptByHold.length === 0;
    addDetails(erasedAgainDetails(erased), isDone ? 'done' : 'failed');
    return erased;
  });
}

async function eraseLedger(
  session: Session,
  store: Store,
  definitions: readonly KnownDefinition[] | null,
): Promise<Pick<ErasedAgain, 'rows' | 'held' | 'heldSubjects' | 'keptByHold' | 'complete'>> {
  const contract = await knownContract(session);
  rejectMissing(
    definitions ?? (await store.knownDefinitions()),
    contract,
    'add --force to go on without them',
  );
  // Deliveries that ran when the copy was made do not run here: nobody must wait for them.
  await store.recover();
  const progress = createScanProgress(session, 'erasing');
  const { clock } = session.terminal;
  const deps = { store, contract, clock, report: progress.report };
  const { rows, held, heldSubjects, keptByHold, complete, logEmptied } = await eraseAgain(deps).finally(() =>
    progress.stop(),
  );
  return { rows, held, heldSubjects, keptByHold, complete: complete && logEmptied };
}
