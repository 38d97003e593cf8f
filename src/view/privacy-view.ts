import { subjectName } from '../event/subject.ts';
import type { ErasureRecord, Hold } from '../store/privacy.ts';
import { instantText, instantTextOrNull } from './instant-text.ts';

/** A subject whose content must be neither erased nor pruned. */
export interface HoldView {
  readonly subject: string;
  readonly reason: string;
  readonly placed_by: string;
  readonly placed_at: string;
}

export function holdView({ subject, reason, placedBy, placedAt }: Hold): HoldView {
  return { subject: subjectName(subject), reason, placed_by: placedBy, placed_at: instantText(placedAt) };
}

/** A line of the ledger of erasures. */
export interface ErasureView {
  readonly id: string;
  readonly started_at: string;
  readonly finished_at: string | null;
  readonly requested_by: string;
  readonly reason: string;
  /** How many identifiers name the person. */
  readonly identifiers: number;
}

export function erasureView(erasure: ErasureRecord): ErasureView {
  return {
    id: erasure.id,
    started_at: instantText(erasure.startedAt),
    finished_at: instantTextOrNull(erasure.finishedAt),
    requested_by: erasure.requestedBy,
    reason: erasure.reason,
    identifiers: erasure.identifiers.length,
  };
}
