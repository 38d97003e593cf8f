import type { EventRecord } from '../event/stored-event.ts';

/**
 * For each event of a subject, given in arrival order, the earlier one of its
 * source that its payload is best compared with: what was the latest until
 * then, and for a stale event the one it follows in version order. Left out
 * where there is none.
 */
export function comparedWith(events: readonly EventRecord[]): ReadonlyMap<string, string> {
  const befores = new Map<string, string>();
  const seen: EventRecord[] = [];
  for (const event of events) {
    const earlier = seen.filter(({ source }) => source === event.source);
    const before = event.verdict === 'stale' ? precedingVersion(event, earlier) : latest(earlier);
    if (before !== undefined) befores.set(event.id, before.id);
    seen.push(event);
  }
  return befores;
}

function latest(earlier: readonly EventRecord[]): EventRecord | undefined {
  return earlier.findLast(({ verdict }) => verdict !== 'stale');
}

function precedingVersion(event: EventRecord, earlier: readonly EventRecord[]): EventRecord | undefined {
  const { version } = event;
  if (version === null) return undefined;
  let preceding: (EventRecord & { readonly version: string }) | undefined;
  for (const candidate of earlier) {
    if (candidate.version === null || candidate.version > version) continue;
    // Of equal versions the later arrival is the nearer one.
    if (preceding === undefined || candidate.version >= preceding.version)
      preceding = { ...candidate, version: candidate.version };
  }
  return preceding;
}
