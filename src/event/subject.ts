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

/** Parses `family:id`; undefined without a family or an id. The id may contain colons. */
export function parseSubjectName(name: string): Subject | undefined {
  const colon = name.indexOf(':');
  if (colon < 1 || colon === name.length - 1) return undefined;
  return { family: name.slice(0, colon), id: name.slice(colon + 1) };
}
