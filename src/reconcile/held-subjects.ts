/** Finds bodies in the quarantine that are about a subject: often the reason why its events are missing. */
import type { Contract } from '../contract/contract.ts';
import type { Family } from '../contract/family.ts';
import type { Queries } from '../store/queries.ts';
import { payloadIn } from './record-differences.ts';
import { kindsOf, recordId } from './record-lists.ts';

/** Held entries of a kind that are looked at, the newest ones. */
const MAX_ENTRIES = 500;

/** @returns the newest held entry of each subject, by the subject's id */
export async function heldSubjects(
  store: Pick<Queries, 'quarantined' | 'quarantinedDelivery'>,
  contract: Pick<Contract, 'dataOf'>,
  source: string,
  family: Family,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const kind of kindsOf(family)) {
    const held = { source, kind, status: 'held' } as const;
    for (const { id } of await store.quarantined(held, { order: 'newest', limit: MAX_ENTRIES })) {
      const entry = await store.quarantinedDelivery(id);
      const subject = entry === null ? undefined : idIn(contract, source, entry.body);
      if (subject !== undefined && !found.has(subject)) found.set(subject, id);
    }
  }
  return found;
}

function idIn(...body: Parameters<typeof payloadIn>): string | undefined {
  try {
    return recordId(payloadIn(...body));
  } catch {
    return undefined;
  }
}
