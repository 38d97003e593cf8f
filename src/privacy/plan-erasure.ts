/** Counts what an erasure would change. */
import type { Contract } from '../contract/contract.ts';
import { subjectName } from '../event/subject.ts';
import { maskText } from '../kernel/text/scrub.ts';
import { contentPlaces, type ContentPlace, type Hold, type Privacy } from '../store/privacy.ts';
import type { Finding } from './erase-content.ts';
import type { Person } from './person.ts';
import { scanStore, type ReportScan, type ScannedStore } from './scan-store.ts';

/** Rows by place. */
export type RowCounts = Readonly<Record<ContentPlace, number>>;

/** What an erasure would change in the rows of one place and kind. Names only, never values. */
export interface PlannedKind {
  readonly place: ContentPlace;
  /** Null where a row has none. */
  readonly kind: string | null;
  readonly rows: number;
  /** Dotted paths in a body, or names of columns. */
  readonly erased: readonly string[];
  /** Paths of the same bodies that stay. A path may be in both lists: it holds the person in some rows only. */
  readonly kept: readonly string[];
}

/** Kinds of a plan, and fields of one, that are listed at most: senders choose both. */
const MAX_LISTED = 500;

interface PlanDeps {
  readonly store: ScannedStore & Pick<Privacy, 'holds'>;
  readonly contract: Contract;
  readonly report?: ReportScan;
  /** Called with each row that would change, or stay for a hold. */
  readonly found?: (finding: Finding) => void;
}

/** Counts what an erasure would change, and names its fields. */
export async function planErasure(
  { store, contract, report, found }: PlanDeps,
  person: Person,
): Promise<{
  readonly rows: RowCounts;
  readonly held: number;
  readonly kinds: readonly PlannedKind[];
}> {
  const holds = heldNames(await store.holds());
  const rows = noRows();
  let held = 0;
  const kinds = createPlannedKinds();
  for await (const findings of scanStore(store, person, contract, report)) {
    for (const finding of findings) {
      const { content } = finding;
      found?.(finding);
      if (content.subject !== null && holds.has(subjectName(content.subject))) held += 1;
      else {
        rows[content.place] += 1;
        kinds.add(finding);
      }
    }
  }
  return { rows, held, kinds: kinds.list() };
}

function createPlannedKinds() {
  const found = new Map<string, { rows: number; erased: Set<string>; kept: Set<string> } & KindPlace>();
  const addAll = (names: Set<string>, paths: readonly string[]): void => {
    // A sender may use a person's data as a name.
    for (const path of paths) if (names.size < MAX_LISTED) names.add(maskText(path));
  };
  return {
    add({ content: { place, kind }, paths, kept }: Finding): void {
      const shown = kind === null ? null : maskText(kind);
      const key = `${place} ${shown ?? ''}`;
      const known = found.get(key);
      if (known === undefined && found.size >= MAX_LISTED) return;
      const plan = known ?? { place, kind: shown, rows: 0, erased: new Set(), kept: new Set() };
      found.set(key, plan);
      plan.rows += 1;
      addAll(plan.erased, paths);
      addAll(plan.kept, kept);
    },
    list: (): readonly PlannedKind[] =>
      [...found.values()].map(({ erased, kept, ...plan }) => ({
        ...plan,
        erased: [...erased].toSorted(),
        kept: [...kept].toSorted(),
      })),
  };
}

type KindPlace = Pick<PlannedKind, 'place' | 'kind'>;

function heldNames(holds: readonly Hold[]): ReadonlySet<string> {
  return new Set(holds.map(({ subject }) => subjectName(subject)));
}

/** No row of any place, to count up from. */
export function noRows(): Record<ContentPlace, number> {
  return Object.fromEntries(contentPlaces.map((place) => [place, 0])) as Record<ContentPlace, number>;
}
