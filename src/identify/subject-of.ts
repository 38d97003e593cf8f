/** The subject of an event, from its payload or from its digest. */
import { createHash } from 'node:crypto';
import type { Contract } from '../contract/contract.ts';
import { guessedFamily } from '../contract/family.ts';
import type { IdentifiedEvent, ParsedEvent } from '../event/event.ts';
import type { Subject } from '../event/subject.ts';
import type { JsonObject, JsonValue } from '../kernel/json/json.ts';

/** The maximum length of an id, in UTF-16 code units. */
const MAX_ID_LENGTH = 200;

type Digests = Pick<IdentifiedEvent, 'digest' | 'messageDigest'>;

/**
 * Returns the entity that an event is about.
 *
 * For an unrecognized kind this is a guess: the family is the kind up to its last dot (`user.login.failed`
 * belongs to `user-login`), the id is `data.id`. An event without an id is a subject of its own, which its
 * repeats share.
 */
export function subjectOf(event: ParsedEvent, digests: Digests, contract: Contract): Subject {
  const kind = event.recognized ? contract.find(event.delivery.source, event.kind) : undefined;
  if (kind === undefined || !event.recognized)
    return { family: guessedFamily(event.kind), id: idText(memberId(event.data)) ?? idFrom(digests) };
  return { family: kind.family, id: idText(kind.subjectId(event.data)) ?? idFrom(digests) };
}

function memberId(data: JsonValue): JsonValue | undefined {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, 'id')) return undefined;
  return (data as JsonObject)['id'];
}

function idText(id: JsonValue | undefined): string | undefined {
  if (typeof id === 'number') return String(id);
  if (typeof id !== 'string' || id === '') return undefined;
  return isPrintable(id) ? id : hashedId(id);
}

/** Messages with different ids are different subjects: a daily `ping` must not become one endless history. */
function idFrom({ digest, messageDigest }: Digests): string {
  return messageDigest === null ? `content-${shortHex(digest)}` : `message-${shortHex(messageDigest)}`;
}

function shortHex(digest: Uint8Array): string {
  return Buffer.from(digest.buffer, digest.byteOffset, 16).toString('hex');
}

function isPrintable(id: string): boolean {
  return id.length <= MAX_ID_LENGTH && !/[\p{Cc}\p{Cs}]/u.test(id);
}

/** Replaces an id that cannot be typed, shown in a terminal, or indexed. */
function hashedId(id: string): string {
  return `sha256-${createHash('sha256').update(JSON.stringify(id)).digest('hex').slice(0, 32)}`;
}
