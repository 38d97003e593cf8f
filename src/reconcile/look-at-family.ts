/**
 * Compares the records of one family at the provider with the newest events of their subjects.
 *
 * A list is read page by page, so memory does not grow with its records. Whatever differs is asked for again, one by
 * one: a list is older than its end, and a webhook may have come meanwhile.
 */
import type { Family } from '../contract/family.ts';
import { isJsonObject, type JsonObject } from '../kernel/json/json.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { Queries } from '../store/queries.ts';
import { createJudge, LookFailed, type JudgeDeps, type SubjectDifference } from './judge-subject.ts';
import { recordId, recordLists, type RecordList } from './record-lists.ts';

export interface FamilyLook {
  readonly family: Family;
  /** Subjects that either side has. */
  readonly subjects: number;
  readonly equal: number;
  readonly differences: readonly SubjectDifference[];
}

export interface LookDeps extends JudgeDeps {
  readonly store: JudgeDeps['store'] & Pick<Queries, 'subjects'>;
  readonly clock: Clock;
  /** Called after each page, with the records that were read, and how many there are. */
  readonly report: (read: number, total: number) => void;
}

/** An earlier look that this one goes on from. */
export interface EarlierLook {
  /** In milliseconds since 1970: known records that the provider has not changed since then are equal, */
  readonly since: number;
  /** but for these, by id. */
  readonly differed: ReadonlySet<string>;
}

/** Records on a page, the most that the provider gives (specification, Limits). */
const PAGE_SIZE = 100;
/** Subjects that are read of the store at once. */
const SUBJECTS = 1_000;
/** How often a list is read from its beginning when records moved between its pages. */
const READINGS = 3;

/** @throws LookFailed, ClientError */
export async function lookAtFamily(
  deps: LookDeps,
  family: Family,
  earlier?: EarlierLook,
): Promise<FamilyLook> {
  const list = recordLists[family];
  if (list === undefined) throw new LookFailed('the provider has no list of its records');
  const judge = createJudge(deps, family, deps.clock.now());
  const newest = await newestEvents(deps, family);
  for (let reading = 1; reading <= READINGS; reading += 1) {
    const seen = new Set<string>();
    const differences: SubjectDifference[] = [];
    const note = async (id: string, listed?: JsonObject): Promise<void> => {
      const { difference } = await judge.judge(id, listed);
      if (difference !== null) differences.push(difference);
    };
    const isWhole = await readPages(deps, list.list(deps.client), newest.size, async (id, record) => {
      if (seen.has(id)) return false;
      seen.add(id);
      const known = newest.get(id);
      if (known !== undefined && earlier !== undefined && isUnchanged(id, record, earlier)) return true;
      if (known === undefined || !(await judge.isEqual(known, record))) await note(id, record);
      return true;
    });
    if (!isWhole) continue;
    for (const id of newest.keys()) if (!seen.has(id)) await note(id);
    const subjects = new Set([...seen, ...newest.keys()]).size;
    return { family, subjects, equal: subjects - differences.length, differences };
  }
  throw new LookFailed(`its records moved between the pages in each of ${String(READINGS)} readings`);
}

/** Looks at one subject by its own record. @throws LookFailed, ClientError */
export async function lookAtSubject(
  deps: Omit<LookDeps, 'report'>,
  family: Family,
  id: string,
): Promise<FamilyLook> {
  const { difference } = await createJudge(deps, family, deps.clock.now()).judge(id);
  const differences = difference === null ? [] : [difference];
  return { family, subjects: 1, equal: 1 - differences.length, differences };
}

/**
 * Reads a list page by page. A record that is removed meanwhile moves those behind it by one place, past the page that
 * was read: the total falls, or fewer records come than there are.
 *
 * @param known the number of subjects that the store has
 * @param take returns false for a record that came before
 * @returns whether every record was read
 * @throws LookFailed, ClientError
 */
async function readPages(
  { pace, signal, report }: LookDeps,
  list: ReturnType<RecordList['list']>,
  known: number,
  take: (id: string, record: JsonObject) => Promise<boolean>,
): Promise<boolean> {
  let read = 0;
  let before = 0;
  for (let page = 1; ; page += 1) {
    await pace();
    signal.throwIfAborted();
    const { data, total } = await list.list({ page, size: PAGE_SIZE }, { signal });
    if (page === 1 && total === 0 && known > 0)
      throw new LookFailed(`the provider's list is empty, and the store has ${String(known)}`);
    if (total < before) return false;
    before = total;
    const readBefore = read;
    for (const record of data) {
      const id = recordId(record);
      if (id === undefined || !isJsonObject(record)) throw new LookFailed('a record of the list has no id');
      if (await take(id, record)) read += 1;
    }
    report(read, total);
    // A page without a new record ends the list, or the provider does not turn pages.
    if (read >= total || read === readBefore) return read >= total;
  }
}

function isUnchanged(id: string, { updated_at: at }: JsonObject, { since, differed }: EarlierLook): boolean {
  // NaN, of a record without the time of its last change, is less than nothing.
  return !differed.has(id) && typeof at === 'string' && Date.parse(at) < since;
}

/** The latest event of each subject of a family, by the subject's id. */
async function newestEvents(
  { store, source }: LookDeps,
  family: Family,
): Promise<ReadonlyMap<string, string>> {
  const newest = new Map<string, string>();
  for (let after: string | undefined; ;) {
    const page = await store.subjects(
      { family, source },
      { limit: SUBJECTS, ...(after !== undefined && { after }) },
    );
    for (const { subject, id } of page) newest.set(subject.id, id);
    after = page.at(-1)?.id;
    if (page.length < SUBJECTS) return newest;
  }
}
