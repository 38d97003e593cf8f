/** Parses verified bodies into events. */
import type { Contract, Envelope } from '../contract/contract.ts';
import { issuePath } from '../contract/find-issues.ts';
import { unknownValueText } from '../contract/find-unknown-values.ts';
import type { KindContract } from '../contract/kind-contract.ts';
import type { ParseIssue, RejectedDelivery, VerifiedDelivery } from '../event/delivery.ts';
import type { EventFlag, ParsedEvent } from '../event/event.ts';
import { memberAt, type JsonObject, type JsonValue } from '../kernel/json/json.ts';
import { countOf } from '../kernel/text/count.ts';
import { maskText } from '../kernel/text/scrub.ts';
import { messageIdOf } from '../event/message-id.ts';
import { idText, isPrintable, subjectName } from '../event/subject.ts';
import { readJson, type ReadJson } from './read-json.ts';
import { kindNameProblem } from '../contract/kind-name.ts';
import { errorName } from '../kernel/failure-reason.ts';
import { NotJsonError } from '../kernel/json/plain-json.ts';

/** What becomes of a valid event with a value that an enumeration of the contract does not list. */
export type OnUnknownValue = 'accept' | 'quarantine';

/**
 * Parses the body of a delivery into an event, or into the reasons for its rejection. Never throws.
 *
 * @param json the body, where it has been read before
 */
export type Parse = (delivery: VerifiedDelivery, json?: ReadJson) => ParsedEvent | RejectedDelivery;

/**
 * Creates the parser of a contract.
 *
 * The event has the data that was parsed, not the schema's copy: known fields are unchanged, and unknown fields are
 * kept.
 */
export function createParse(contract: Contract, onUnknownValue: OnUnknownValue = 'accept'): Parse {
  return (verified, json = readJson(verified.body)) => {
    if (!json.ok) return malformed(verified, json.message, null);
    const places = contract.envelopeOf(verified.source);
    const { idPath } = places;
    const delivery = idPath === undefined ? verified : withIdOfBody(verified, json.value, idPath);
    const envelope = readEnvelope(json.value, places, delivery.headers);
    if (!envelope.ok) return malformed(delivery, envelope.message, envelope.kind);
    const { type, data } = envelope;
    const kind = contract.find(delivery.source, type);
    const parsed =
      kind === undefined
        ? unrecognized(delivery, type, data)
        : recognized(delivery, kind, data, onUnknownValue);
    // A function can build any number.
    const isFinite = parsed.stage !== 'parsed' || (json.isPlain && places.dataPath !== null);
    const overflow = isFinite ? undefined : findOverflow(data);
    return overflow === undefined ? parsed : overflowing(delivery, type, overflow);
  };
}

/** Whatever proves the body proves its id. */
function withIdOfBody(
  delivery: VerifiedDelivery,
  body: JsonValue,
  path: readonly string[],
): VerifiedDelivery {
  const messageId = messageIdOf(memberAt(body, path));
  return { ...delivery, messageId, messageIdTrusted: messageId !== null && delivery.isBodyOpen !== true };
}

function recognized(
  delivery: VerifiedDelivery,
  kind: KindContract,
  data: JsonValue,
  onUnknownValue: OnUnknownValue,
): ParsedEvent | RejectedDelivery {
  const flags: EventFlag[] = [];
  // Nearly all events have known values only, and need no second check.
  if (!kind.isKnown(data)) {
    if (!kind.isValid(data)) return invalid(delivery, kind, data);
    if (onUnknownValue === 'quarantine') return unknownValue(delivery, kind, data);
    flags.push('unknown-value');
  }
  if (!kind.hasValidCheckDigits(data)) flags.push('check-digits');
  return { stage: 'parsed', delivery, kind: kind.kind, flags, recognized: true, data: data as JsonObject };
}

function unrecognized(delivery: VerifiedDelivery, kind: string, data: JsonValue): ParsedEvent {
  return { stage: 'parsed', delivery, kind, flags: ['unrecognized'], recognized: false, data };
}

function malformed(delivery: VerifiedDelivery, message: string, kind: string | null): RejectedDelivery {
  return { stage: 'rejected', delivery, reason: 'malformed', kind, subject: null, message, issues: [] };
}

function notValid(
  delivery: VerifiedDelivery,
  about: Pick<RejectedDelivery, 'kind' | 'subject' | 'message' | 'issues'>,
): RejectedDelivery {
  return { stage: 'rejected', delivery, reason: 'invalid', ...about };
}

/** The issues that a rejection lists. The message counts all of them. */
const MAX_LISTED = 20;
/** The issues that are searched for. */
const MAX_COUNTED = 100;

function invalid(delivery: VerifiedDelivery, contract: KindContract, data: JsonValue): RejectedDelivery {
  const { kind } = contract;
  const found = contract.issues(data, MAX_COUNTED + 1);
  const hasMore = found.length > MAX_COUNTED;
  const count = hasMore ? `more than ${String(MAX_COUNTED)} issues` : countOf(found.length, 'issue');
  const message = `The data does not match ${kind}: ${count}`;
  const issues: readonly ParseIssue[] = found
    .slice(0, MAX_LISTED)
    .map(({ path, message }) => ({ path: issuePath(path, 'data'), message }));
  // Any text may be where the id belongs.
  const subject = found.some(({ path }) => path[0] === 'id') ? null : subjectIn(contract, data);
  return notValid(delivery, { kind, subject, message, issues });
}

/** Data that is not valid may name its subject all the same: its story has the webhook then. */
function subjectIn(contract: KindContract, data: JsonValue): string | null {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return null;
  try {
    const id = idText(contract.subjectId(data as JsonObject));
    // A function of a custom kind may take it from any field.
    const isId = id !== undefined && isPrintable(id) && !/\p{Cf}/u.test(id) && maskText(id) === id;
    return isId ? subjectName({ family: contract.family, id }) : null;
  } catch {
    // A function of a custom kind expects valid data.
    return null;
  }
}

function unknownValue(delivery: VerifiedDelivery, contract: KindContract, data: JsonValue): RejectedDelivery {
  const { kind } = contract;
  const issues = contract.unknownValues(data).map((unknown) => ({
    path: unknown.path,
    message: unknownValueText(unknown),
  }));
  const message = `The data of ${kind} has values that the contract does not list`;
  return notValid(delivery, { kind, subject: subjectIn(contract, data), message, issues });
}

/** Infinity replaces every such number, so two different events would look like repeats. */
function overflowing(delivery: VerifiedDelivery, kind: string, path: string): RejectedDelivery {
  const message = `The data of ${kind} contains a number that is too large`;
  const issue = { path, message: 'expected a number that a double can hold, up to 1.7976931348623157e308' };
  return notValid(delivery, { kind, subject: null, message, issues: [issue] });
}

/**
 * Finds the first number that no double can hold, for example 1e400, and returns its path; undefined when there
 * is none. JSON.parse reads every such number as Infinity. Recursive: the parser bounds the depth.
 */
export function findOverflow(value: JsonValue, path: readonly PropertyKey[] = []): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : issuePath(path, 'data');
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const found = findOverflow(member, [...path, Array.isArray(value) ? Number(key) : key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

type ReadEnvelope =
  | { readonly ok: true; readonly type: string; readonly data: JsonValue }
  /** `kind` is the envelope's `type`, when it is readable. */
  | { readonly ok: false; readonly message: string; readonly kind: string | null };

/** Reads the envelope of a body, and ignores everything in it but type and data. */
function readEnvelope(
  value: JsonValue,
  envelope: Envelope,
  headers: Readonly<Record<string, string>>,
): ReadEnvelope {
  const { names } = envelope;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return failure(
      `The body is not an envelope: expected an object with ${names.type} and ${names.data}`,
      null,
    );
  let type: unknown;
  try {
    type = envelope.type(value, headers);
  } catch (error) {
    return failure(thrownText('type', error), null);
  }
  if (type === undefined) return failure(`The body is not an envelope: ${names.type} is missing`, null);
  if (typeof type !== 'string' || type === '')
    return failure(`The body is not an envelope: ${names.type} must be a non-empty string`, null);
  const problem = kindNameProblem(type);
  if (problem !== undefined) return failure(`The body is not an envelope: ${names.type} ${problem}`, null);
  let data: JsonValue | undefined;
  try {
    data = envelope.data(value);
  } catch (error) {
    return failure(thrownText('data', error), type);
  }
  if (data === undefined) return failure(`The body is not an envelope: ${names.data} is missing`, type);
  return { ok: true, type, data };
}

/** The answer and the quarantine show this text, so it quotes nothing of the error. */
function thrownText(part: 'type' | 'data', error: unknown): string {
  const problem =
    error instanceof NotJsonError
      ? `envelope.${part} ${error.message}`
      : `reading its ${part} failed: ${errorName(error)}`;
  return `The body is not an envelope: ${problem}`;
}

function failure(message: string, kind: string | null): ReadEnvelope {
  return { ok: false, message, kind };
}
