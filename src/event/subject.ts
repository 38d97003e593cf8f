/** The subject of an event: the entity that it is about. */
import type { JsonValue } from '../kernel/json/json.ts';

/** The entity that an event is about. Ids of different families can collide (company 12 and user 12). */
export interface Subject {
  /** For example `company`, `company-login`, `traffic-violation-ticket`. */
  readonly family: string;
  /** The provider's id as a string: numbers in decimal, ids of console users as sent. */
  readonly id: string;
}

/** Returns `family:id`, the form that people read and type. */
export function subjectName(subject: Subject): string {
  return `${subject.family}:${subject.id}`;
}

/** The maximum length of an id, in UTF-16 code units. */
const MAX_ID_LENGTH = 200;

/** Whether an id can be typed, shown in a terminal, and indexed. */
export function isPrintable(id: string): boolean {
  return id.length <= MAX_ID_LENGTH && !/[\p{Cc}\p{Cs}]/u.test(id);
}

/** Returns a sender's id as text; undefined where it is none. */
export function idText(id: JsonValue | undefined): string | undefined {
  if (typeof id === 'number') return String(id);
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Parses `family:id`; undefined without a family or an id. The id may contain colons. */
export function parseSubjectName(name: string): Subject | undefined {
  const colon = name.indexOf(':');
  if (colon < 1 || colon === name.length - 1) return undefined;
  return { family: name.slice(0, colon), id: name.slice(colon + 1) };
}

/** Families whose ids are those of companies. */
export const companyFamilies: readonly string[] = ['company', 'company-login', 'company-sync'];
