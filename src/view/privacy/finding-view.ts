/** Rows that hold data of a person, and holds, as views show them. */
import type { Hold } from '../../store/privacy.ts';
import { subjectName } from '../../event/subject.ts';
import type { Finding } from '../../privacy/erase-content.ts';
import { instantText, instantTextOrNull } from '../instant-text.ts';
import type { Unmasking } from '../payload/unmasking.ts';

/** A row that holds data of a person. */
export interface FindingView {
  readonly place: string;
  readonly id: string;
  readonly kind: string | null;
  /** `family:id`; null for a quarantine entry or a job, and while masked for an id that is itself an identifier. */
  readonly subject: string | null;
  readonly source: string | null;
  readonly at: string | null;
  /** Dotted paths in a body, or names of columns. */
  readonly fields: readonly string[];
  /** The personal values of the body; null while masked. */
  readonly values: readonly (string | number)[] | null;
}

export function findingView({ content, paths, values }: Finding, { unmask }: Unmasking): FindingView {
  const { place, id, kind, subject, source, at } = content;
  const hidden = place === 'subject' && !unmask;
  return {
    place,
    id: hidden ? String(content.row) : id,
    kind,
    subject: subject === null || hidden ? null : subjectName(subject),
    source,
    at: instantTextOrNull(at),
    fields: paths,
    values: unmask ? values.map(({ value }) => value) : null,
  };
}

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
