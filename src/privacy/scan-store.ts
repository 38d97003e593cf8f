/** Finds a person in every row of a store. */
import type { Contract } from '../contract/contract.ts';
import { beginTimeSlice } from '../kernel/time/time-slice.ts';
import { contentPlaces, type ContentPlace, type Privacy, type StoredContent } from '../store/privacy.ts';
import { eraseContent, type Finding } from './erase-content.ts';
import type { ErasedValue } from './erase-payload.ts';
import type { Person } from './person.ts';

/** Rows of one read. The store ends a page earlier when its rows are large. */
const PAGE = 500;

/** Reports how far a scan is: the place, and the rows of it that were read. */
export type ReportScan = (place: ContentPlace, rows: number) => void;

export type ScannedStore = Pick<Privacy, 'contents' | 'derivedContents'>;

/** Reads every row of some places, page by page. */
export async function* allContents(
  store: Pick<Privacy, 'contents'>,
  places: readonly ContentPlace[],
  report?: ReportScan,
): AsyncGenerator<readonly StoredContent[]> {
  for (const place of places) {
    let rows = 0;
    for (let after = 0; ;) {
      const page = await store.contents(place, { after, limit: PAGE });
      const last = page.at(-1);
      if (last === undefined) break;
      yield page;
      rows += page.length;
      after = last.row;
      report?.(place, rows);
    }
  }
}

/**
 * Finds a person in every row of a store. Findings that belong together come together: an event, and the
 * deliveries, states and anomalies that were derived from it. A row comes once.
 */
export async function* scanStore(
  store: ScannedStore,
  person: Person,
  contract: Contract,
  report?: ReportScan,
): AsyncGenerator<readonly Finding[]> {
  const derived = new Set<string>();
  const slice = beginTimeSlice();
  for await (const page of allContents(store, contentPlaces, report)) {
    for (const content of page) {
      if (derived.has(keyOf(content))) continue;
      if (slice.isOver()) await slice.next();
      const finding = eraseContent(content, person, contract);
      if (finding === null) continue;
      const further =
        content.place === 'event'
          ? await derivedFindings(store, content.id, person, contract, finding.values)
          : [];
      const fresh = further.filter((one) => !derived.has(keyOf(one.content)));
      for (const one of fresh) derived.add(keyOf(one.content));
      yield [finding, ...fresh];
    }
  }
}

/** Finds a person, and the values erased from an event, in the rows that were derived from the event. */
export async function derivedFindings(
  store: Pick<Privacy, 'derivedContents'>,
  eventId: string,
  person: Person,
  contract: Contract,
  values: readonly ErasedValue[],
): Promise<readonly Finding[]> {
  const contents = await store.derivedContents(eventId);
  return contents.flatMap((content) => eraseContent(content, person, contract, values) ?? []);
}

function keyOf({ place, row }: StoredContent): string {
  return `${place} ${String(row)}`;
}
