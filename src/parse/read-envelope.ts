import type { JsonObject, JsonValue } from '../kernel/json/json.ts';

/** In characters. The longest kind of the contract has 36. */
const MAX_KIND_LENGTH = 200;

/** The form of every webhook body (specification, Events, Webhook envelope). */
export interface Envelope {
  readonly type: string;
  readonly data: JsonValue;
}

export type ReadEnvelope =
  | ({ readonly ok: true } & Envelope)
  /** `kind` is the envelope's `type`, when it is readable. */
  | { readonly ok: false; readonly message: string; readonly kind: string | null };

/**
 * Reads the envelope of a body, and ignores members other than `type` and `data`. Rejects kinds with control
 * characters or lone surrogates: kinds appear in terminals, logs and subjects.
 */
export function readEnvelope(value: JsonValue): ReadEnvelope {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return failure('The body is not an envelope: expected an object with type and data', null);
  const envelope = value as JsonObject;
  const type = member(envelope, 'type');
  if (type === undefined) return failure('The body is not an envelope: type is missing', null);
  if (typeof type !== 'string' || type === '')
    return failure('The body is not an envelope: type must be a non-empty string', null);
  if (type.length > MAX_KIND_LENGTH)
    return failure(
      `The body is not an envelope: type is longer than ${String(MAX_KIND_LENGTH)} characters`,
      null,
    );
  if (/[\p{Cc}\p{Cs}]/u.test(type))
    return failure('The body is not an envelope: type contains control characters', null);
  const data = member(envelope, 'data');
  if (data === undefined) return failure('The body is not an envelope: data is missing', type);
  return { ok: true, type, data };
}

/** Reads an own member; a missing one must not be found on the prototype. */
function member(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function failure(message: string, kind: string | null): ReadEnvelope {
  return { ok: false, message, kind };
}
