import type { Contract } from '../contract/contract.ts';
import { subjectName } from '../event/subject.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { ContentPlace, Hold, Privacy } from '../store/privacy.ts';
import type { Person } from './person.ts';
import { scanStore, type ReportScan, type ScannedStore } from './scan-store.ts';

/** Rows by place. */
export type RowCounts = Readonly<Record<ContentPlace, number>>;

interface PlanDeps {
  readonly store: ScannedStore & Pick<Privacy, 'holds'>;
  readonly contract: Contract;
  readonly report?: ReportScan;
}

/** Counts what an erasure would change. */
export async function planErasure(
  { store, contract, report }: PlanDeps,
  person: Person,
): Promise<{ readonly rows: RowCounts; readonly held: number }> {
  const holds = heldNames(await store.holds());
  const rows = noRows();
  let held = 0;
  for await (const findings of scanStore(store, person, contract, report)) {
    for (const { content } of findings) {
      if (content.subject !== null && holds.has(subjectName(content.subject))) held += 1;
      else rows[content.place] += 1;
    }
  }
  return { rows, held };
}

/** @throws PortariaError `invalid-argument` when a subject of the person is held */
export function rejectHeld(holds: readonly Hold[], person: Person): void {
  const held = holds.filter(({ subject }) => person.isSubject(subject));
  if (held.length === 0) return;
  throw new PortariaError('invalid-argument', 'The person is under a legal hold, and nothing was erased', {
    problems: held.map(({ subject, reason }) => ({
      where: subjectName(subject),
      message: `${reason}; portaria privacy hold remove ${subjectName(subject)} ends the hold`,
    })),
  });
}

function heldNames(holds: readonly Hold[]): ReadonlySet<string> {
  return new Set(holds.map(({ subject }) => subjectName(subject)));
}

/** No row of any place, to count up from. */
export function noRows(): Record<ContentPlace, number> {
  return {
    event: 0,
    quarantine: 0,
    delivery: 0,
    state: 0,
    base: 0,
    anomaly: 0,
    replay: 0,
    subject: 0,
    retry: 0,
    job: 0,
  };
}
