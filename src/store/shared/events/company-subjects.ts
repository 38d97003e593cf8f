/** What names the subjects of a company. */
import type { SourceSubject } from '../../queries.ts';

/** Families whose ids are those of companies. */
export const OWN_FAMILIES = ['company', 'company-login', 'company-sync'];

/** The columns that name a subject. */
export interface SubjectRow {
  readonly source: string;
  readonly family: string;
  readonly entity: string;
}

export function sourceSubject({ source, family, entity }: SubjectRow): SourceSubject {
  return { source, subject: { family, id: entity } };
}
