import { createHash } from 'node:crypto';
import { catalogue, isEventKind } from '../contract/catalogue.ts';
import type { IdentifiedEvent } from '../event/identified-event.ts';
import type { ParsedEvent } from '../event/parsed-event.ts';
import type { Subject } from '../event/subject.ts';
import type { JsonObject, JsonValue } from '../kernel/json/json.ts';

/** In UTF-16 units. */
const MAX_ID = 200;

/** What tells an event from every other. */
type Identity = Pick<IdentifiedEvent, 'digest' | 'messageDigest'>;

/**
 * The entity that an event is about.
 *
 * Of an unrecognized kind a guess: its family is what the kind says before the
 * last dot (`user.login.failed` falls in `user-login`), its id `data.id`. An
 * event without an id is a subject of its own, and its repeats share it.
 */
export function subjectOf(event: ParsedEvent, identity: Identity): Subject {
  return { family: familyOf(event.kind), id: idOf(event.data) ?? ownId(identity) };
}

function familyOf(kind: string): string {
  if (isEventKind(kind)) return catalogue[kind].family;
  const lastDot = kind.lastIndexOf('.');
  const owner = lastDot > 0 ? kind.slice(0, lastDot) : kind;
  // A colon would read as the end of the family in `family:id`.
  return owner.replaceAll(/[.:\s]/g, '-');
}

function idOf(data: JsonValue): string | undefined {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, 'id')) return undefined;
  const { id } = data as JsonObject;
  if (typeof id === 'number') return String(id);
  if (typeof id !== 'string' || id === '') return undefined;
  return isReadable(id) ? id : standIn(id);
}

/**
 * Messages with ids of their own are different events, whatever they say: a
 * daily `ping` must not become one subject with an endless history.
 */
function ownId({ digest, messageDigest }: Identity): string {
  return messageDigest === null ? `content-${short(digest)}` : `message-${short(messageDigest)}`;
}

function short(digest: Uint8Array): string {
  return Buffer.from(digest.buffer, digest.byteOffset, 16).toString('hex');
}

function isReadable(id: string): boolean {
  return id.length <= MAX_ID && !/[\p{Cc}\p{Cs}]/u.test(id);
}

/** Subjects are typed, shown in terminals and indexed; an id that cannot be goes by its digest. */
function standIn(id: string): string {
  return `sha256-${createHash('sha256').update(JSON.stringify(id)).digest('hex').slice(0, 32)}`;
}
