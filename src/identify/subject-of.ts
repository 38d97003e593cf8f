import { createHash } from 'node:crypto';
import { catalogue, isEventKind } from '../contract/catalogue.ts';
import type { ParsedEvent } from '../event/parsed-event.ts';
import type { Subject } from '../event/subject.ts';
import type { JsonObject, JsonValue } from '../kernel/json.ts';

/** Of an event that names no entity: those of one family then share a subject. */
const NO_ID = '-';
/** In UTF-16 units. */
const LONGEST_ID = 200;

/**
 * The entity that an event is about.
 *
 * Of an unrecognized kind a guess: its family is what the kind says before the
 * last dot (`user.login.failed` falls in `user-login`), its id `data.id`.
 */
export function subjectOf(event: ParsedEvent): Subject {
  return { family: familyOf(event.kind), id: idOf(event.data) };
}

function familyOf(kind: string): string {
  if (isEventKind(kind)) return catalogue[kind].family;
  const lastDot = kind.lastIndexOf('.');
  const owner = lastDot > 0 ? kind.slice(0, lastDot) : kind;
  // A colon would read as the end of the family in `family:id`.
  return owner.replaceAll(/[.:\s]/g, '-');
}

function idOf(data: JsonValue): string {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, 'id')) return NO_ID;
  const { id } = data as JsonObject;
  if (typeof id === 'number') return String(id);
  if (typeof id !== 'string' || id === '') return NO_ID;
  return isReadable(id) ? id : standIn(id);
}

function isReadable(id: string): boolean {
  return id.length <= LONGEST_ID && !/[\p{Cc}\p{Cs}]/u.test(id);
}

/** Subjects are typed, shown in terminals and indexed; an id that cannot be goes by its digest. */
function standIn(id: string): string {
  return `sha256-${createHash('sha256').update(JSON.stringify(id)).digest('hex').slice(0, 32)}`;
}
