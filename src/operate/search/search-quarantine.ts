/** Finds held webhooks that a search of events would find, had they become events. */
import type { ContentQuery } from '../../event/content/content-query.ts';
import { matchesContent } from '../../event/content/match-content.ts';
import { MASK } from '../../contract/personal-data.ts';
import { patternMatches } from '../../contract/event-pattern.ts';
import { subjectName } from '../../event/subject.ts';
import type { EventFilter, Queries, QuarantineFilter, QuarantineRecord } from '../../store/queries.ts';
import { storedEnvelope } from '../../view/payload/stored-envelope.ts';
import type { Masking } from '../../view/payload/unmasking.ts';
import { isGuessed, likelyMeant } from '../show/likely-meant.ts';

/** Held webhooks that are looked at, the newest ones, and the bytes of their bodies: webhooks wait for a moment only. */
const [MAX_LOOKED, MAX_BYTES] = [200, 512 * 1024];
/** Bytes of a body that is searched. */
const MAX_BODY = 64 * 1024;

/**
 * Searches the newest held webhooks. Conditions that only events can meet (a verdict, a status, a flag) find none. While
 * masked, personal values and values of the wrong type are not searched. Returns one more than `limit` where more match.
 */
export async function searchQuarantine(
  store: Pick<Queries, 'quarantined' | 'quarantinedDelivery'>,
  filter: EventFilter,
  content: ContentQuery | null,
  { contract, unmask, limit }: Masking & { readonly limit: number },
): Promise<readonly QuarantineRecord[]> {
  const { kinds, subject, source, since = 0, until = Infinity, ...others } = filter;
  if (Object.keys(others).length > 0) return [];
  const newest = (of: QuarantineFilter) =>
    store.quarantined(
      { status: 'held', ...(source !== undefined && { source }), ...of },
      { order: 'newest', limit: MAX_LOOKED },
    );
  // A body that cannot be read names its subject only when it is read.
  const selected =
    subject === undefined
      ? await newest({})
      : [...(await newest({ subject })), ...(await newest({ reason: 'malformed' }))];
  const found: QuarantineRecord[] = [];
  let bytes = 0;
  for (const entry of selected.toSorted((one, other) => other.receivedAt - one.receivedAt)) {
    const { id, receivedAt } = entry;
    if (found.length > limit || bytes > MAX_BYTES) break;
    if (receivedAt < since || receivedAt >= until) continue;
    const mustRead = content !== null || isGuessed(entry);
    const stored = mustRead ? await store.quarantinedDelivery(id) : null;
    bytes += stored?.body.byteLength ?? 0;
    const read = stored === null ? null : likelyMeant(stored, contract);
    const { kind, subject: about } = read ?? entry;
    if (kinds !== undefined && !kinds.some((pattern) => patternMatches(pattern, kind ?? ''))) continue;
    if (subject !== undefined && about !== subjectName(subject)) continue;
    if (content !== null) {
      const isSmall = read !== null && read.body.byteLength <= MAX_BODY;
      const envelope = isSmall ? storedEnvelope(read, contract) : undefined;
      if (envelope === undefined) continue;
      const data = unmask ? envelope.data : contract.mask(entry.source, envelope.kind, envelope.data);
      if (!matchesContent(data, content, unmask ? {} : { mask: MASK })) continue;
    }
    found.push(entry);
  }
  return found;
}
