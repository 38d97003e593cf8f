/** Finds kinds whose events came before they were defined. */
import type { Monitoring } from '../../store/monitoring.ts';
import type { Queries } from '../../store/queries.ts';

/**
 * Finds the kinds that have unrecognized events and that the contract knows now, from counts: cheap, whatever the size
 * of the store. Kinds beyond the first 1,000 unknown ones are not counted by name, and not found.
 */
export async function definedLater(
  store: Pick<Queries, 'unrecognizedKinds'> & Pick<Monitoring, 'monitoring'>,
  knows: (source: string, kind: string) => boolean,
): Promise<readonly { readonly kind: string; readonly events: number }[]> {
  const kinds = await store.unrecognizedKinds();
  if (kinds.length === 0) return [];
  const { received } = await store.monitoring();
  const known = new Set(received.filter((each) => knows(each.source, each.kind)).map(({ kind }) => kind));
  return kinds.filter(({ kind }) => known.has(kind));
}
