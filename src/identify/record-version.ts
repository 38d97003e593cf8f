import type { JsonObject } from '../kernel/json.ts';
import { instantOf } from './instant-of.ts';
import { ordered, type VersionRule } from './version-rule.ts';

/**
 * Of records that carry the time of their last change in `field`.
 *
 * A record is often created and updated within the second that its timestamps
 * show; then created comes before updated and deleted after all.
 */
export function byChangeTime(field: 'updated_at' | 'synced_at'): VersionRule {
  return (kind, data) => {
    const changedAt = instantOf(data, field);
    return changedAt === null ? null : ordered(changedAt, actionRank(kind));
  };
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
  if (kind.endsWith('.created')) return '0';
  return kind.endsWith('.deleted') ? '2' : '1';
}
