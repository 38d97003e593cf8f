/** Computes the identity of an event, since the sender gives it none. */
import { hash, createHash } from 'node:crypto';
import type { Contract, Envelope } from '../contract/contract.ts';
import type { IdentifiedEvent, ParsedEvent } from '../event/event.ts';
import { canonicalBytes } from '../kernel/json/canonical-json.ts';
import { ownMember, type JsonObject, type JsonValue } from '../kernel/json/json.ts';
import { guessedFamily } from '../contract/family.ts';
import { idText, isPrintable, type Subject } from '../event/subject.ts';

/** Identifies an event: its digests, its subject, and its version among the subject's events. */
export type Identify = (event: ParsedEvent) => IdentifiedEvent;

/** @param keyedId makes an id of a digest, by the store's key: a digest alone tells of what few know, such as a CPF */
export function createIdentify(contract: Contract, keyedId: (digest: string) => string): Identify {
  return (event) => identify(event, contract, keyedId);
}

function identify(
  event: ParsedEvent,
  contract: Contract,
  keyedId: (digest: string) => string,
): IdentifiedEvent {
  const { source, messageId, messageIdTrusted } = event.delivery;
  const digest = contentDigest(event, contract.envelopeOf(source));
  const messageDigest =
    messageId === null || !messageIdTrusted ? null : sha256({ source, message_id: messageId });
  const { family, id } = subjectOf(event, contract);
  const digestId =
    id === undefined ? idFrom({ digest, messageDigest }) : isPrintable(id) ? null : hashedId(id);
  return {
    stage: 'identified',
    parsed: event,
    subject: { family, id: digestId === null ? (id ?? '') : keyedId(digestId) },
    formerId: digestId,
    digest,
    messageDigest,
    version: versionOf(event, contract),
  };
}

/**
 * Returns the version that orders an event among its subject's events. Versions are compared as plain strings.
 * Null for kinds without a version, and for unrecognized kinds, whose fields are unknown.
 */
export function versionOf(event: ParsedEvent, contract: Contract): string | null {
  if (!event.recognized) return null;
  return contract.find(event.delivery.source, event.kind)?.version(event.data) ?? null;
}

/**
 * Equal for events of the same source, kind and data, whatever their key order, white space, escapes or
 * spelling of numbers. A whole number that a double would round counts by its digits, any other one as a double. The
 * parser rejects numbers that no double can hold. Where a source says where its ids are, each id is an event: one in the
 * body, which is content, or one that can be trusted.
 */
function contentDigest(event: ParsedEvent, { idPath, countsIds, ignored }: Envelope): Uint8Array {
  const { source, messageId, messageIdTrusted } = event.delivery;
  const data = ignored === undefined ? event.data : ignored.reduce<JsonValue>(without, event.data);
  const content = { source, type: event.kind, data };
  const counts = idPath !== undefined || (countsIds === true && messageIdTrusted);
  return sha256(counts && messageId !== null ? { ...content, message_id: messageId } : content);
}

/** Copies a value without what is at a path, where there is something. */
function without(value: JsonValue, [step, ...rest]: readonly string[]): JsonValue {
  const inner = step === undefined ? undefined : ownMember(value, step);
  if (step === undefined || inner === undefined) return value;
  const { [step]: _ignored, ...others } = value as JsonObject;
  return rest.length === 0 ? others : { ...others, [step]: without(inner, rest) };
}

function sha256(value: JsonValue): Uint8Array {
  // A string between avoids a separate 32-byte ArrayBuffer, which is slow to allocate and to collect.
  return Buffer.from(hash('sha256', canonicalBytes(value), 'binary'), 'binary');
}

type Digests = Pick<IdentifiedEvent, 'digest' | 'messageDigest'>;

/**
 * Returns the entity that an event is about, with its id as sent.
 *
 * For an unrecognized kind this is a guess: the family is the kind up to its last dot (`user.login.failed`
 * belongs to `user-login`), the id is `data.id`. An event without an id is a subject of its own, which its
 * repeats share.
 */
function subjectOf(
  event: ParsedEvent,
  contract: Contract,
): Pick<Subject, 'family'> & { readonly id: string | undefined } {
  const kind = event.recognized ? contract.find(event.delivery.source, event.kind) : undefined;
  if (kind === undefined || !event.recognized)
    return { family: guessedFamily(event.kind), id: idText(memberId(event.data)) };
  return { family: kind.family, id: idText(kind.subjectId(event.data)) };
}

function memberId(data: JsonValue): JsonValue | undefined {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, 'id')) return undefined;
  return (data as JsonObject)['id'];
}

/** Messages with different ids are different subjects: a daily `ping` must not become one endless history. */
function idFrom({ digest, messageDigest }: Digests): string {
  return messageDigest === null ? `content-${shortHex(digest)}` : `message-${shortHex(messageDigest)}`;
}

function shortHex(digest: Uint8Array): string {
  return Buffer.from(digest.buffer, digest.byteOffset, 16).toString('hex');
}

/** The digest of an id that cannot be typed, shown in a terminal, or indexed. */
function hashedId(id: string): string {
  return `sha256-${createHash('sha256').update(JSON.stringify(id)).digest('hex').slice(0, 32)}`;
}
