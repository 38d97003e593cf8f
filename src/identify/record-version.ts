import type { JsonObject } from '../kernel/json/json.ts';
import { instantOf } from './instant-of.ts';
import { ordered, type VersionRule } from './version-rule.ts';

/**
 * Of records that carry the time of their last change in `field`.
 *
 * A record is often created and updated within the second that its timestamps
 * show; then created comes before updated.
 */
export function byChangeTime(field: 'updated_at' | 'synced_at'): VersionRule {
  return (kind, data) => {
    const changedAt = instantOf(data, field);
    return changedAt === null ? null : ordered(changedAt, actionRank(kind));
  };
}

/** Sorts after every instant, since those begin with a digit. */
const TOMBSTONE = 'deleted';

/**
 * Of records that can be deleted: a deletion is a tombstone, later than
 * whatever else is reported of the record, also when it carries an older time
 * than the last update, or none. What still arrives afterwards is stale.
 */
export function byChangeTimeOrDeletion(kind: string, data: JsonObject): string | null {
  if (!kind.endsWith('.deleted')) return byChangeTime('updated_at')(kind, data);
  const changedAt = instantOf(data, 'updated_at');
  return changedAt === null ? TOMBSTONE : ordered(TOMBSTONE, changedAt);
}

/**
 * Of driver indications: the signing of the document, reported by an update of
 * its own, comes after what else happened at that instant (specification,
 * Events, Event kinds).
 */
export function byChangeAndSignature(kind: string, data: JsonObject): string | null {
  const changed = byChangeTime('updated_at')(kind, data);
  // The empty text sorts before every instant.
  return changed === null ? null : ordered(changed, instantOf(data, 'document_signed_at') ?? '');
}

function actionRank(kind: string): string {
  return kind.endsWith('.created') ? '0' : '1';
}
