/**
 * The entity that an event is about. Ids of different families may collide
 * (company 12 and user 12), so the family is part of the identity.
 */
export interface Subject {
  /** For example `company`, `company-login`, `traffic-violation-ticket`. */
  readonly family: string;
  /** The provider's id as text: numbers in decimal, console users as sent. */
  readonly id: string;
}

/** `family:id`, as people read and type it. */
export function subjectName(subject: Subject): string {
  return `${subject.family}:${subject.id}`;
}

/** Reads `family:id`; `undefined` when there is no family or no id. The id may hold colons. */
export function parseSubjectName(name: string): Subject | undefined {
  const colon = name.indexOf(':');
  if (colon < 1 || colon === name.length - 1) return undefined;
  return { family: name.slice(0, colon), id: name.slice(colon + 1) };
}
