/** Who may be erased now: nobody of whom a subject is held. */
import { subjectName } from '../event/subject.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { ErasureRecord, Hold, Privacy } from '../store/privacy.ts';
import { personsOf, type Person } from './person.ts';

/** The ledger, by whether its people may be erased now. */
export interface ErasableLedger {
  readonly erasable: readonly ErasureRecord[];
  /** Erasures of people under a legal hold. */
  readonly held: readonly ErasureRecord[];
}

/** Returns the holds of a person: with one, nothing of the person may be erased. */
export function holdsOf(person: Person, holds: readonly Hold[]): readonly Hold[] {
  return holds.filter(({ subject }) => person.isSubject(subject));
}

/** @throws PortariaError `erasure-refused` when a subject of the person is held */
export function rejectHeld(holds: readonly Hold[], person: Person): void {
  const held = holdsOf(person, holds);
  if (held.length === 0) return;
  throw new PortariaError(
    'erasure-refused',
    { code: 'legal-hold' },
    {
      problems: held.map(({ subject, reason }) => ({
        where: subjectName(subject),
        message: `${reason}; portaria privacy hold remove ${subjectName(subject)} ends the hold`,
      })),
    },
  );
}

/** Reads the ledger and the holds, and says which of its erasures may be applied now. */
export async function erasableLedger(
  store: Pick<Privacy, 'erasures' | 'erasureKey' | 'holds'>,
): Promise<ErasableLedger> {
  return splitByHold(await store.erasures(), await store.erasureKey(), await store.holds());
}

/** Erasures that share an identifier are of one person, as far as anybody knows: a hold keeps them all. */
function splitByHold(
  ledger: readonly ErasureRecord[],
  key: Uint8Array,
  holds: readonly Hold[],
): ErasableLedger {
  const everyone = personsOf(
    ledger.flatMap(({ identifiers }) => identifiers),
    key,
  );
  const relevant = holdsOf(everyone, holds);
  const hashes = new Set<string>();
  const held = new Set<ErasureRecord>();
  const keep = (erasure: ErasureRecord): void => {
    held.add(erasure);
    for (const { hash } of erasure.identifiers) hashes.add(hash);
  };
  if (relevant.length > 0)
    for (const erasure of ledger)
      if (holdsOf(personsOf(erasure.identifiers, key), relevant).length > 0) keep(erasure);
  for (let known = 0; known < held.size;) {
    known = held.size;
    for (const erasure of ledger)
      if (!held.has(erasure) && erasure.identifiers.some(({ hash }) => hashes.has(hash))) keep(erasure);
  }
  return {
    erasable: ledger.filter((erasure) => !held.has(erasure)),
    held: ledger.filter((erasure) => held.has(erasure)),
  };
}
