/** Reads the envelope of a body. */
import type { Envelope } from '../contract/contract.ts';
import { kindNameProblem } from '../contract/kind-name.ts';
import { errorName } from '../kernel/error-name.ts';
import type { JsonValue } from '../kernel/json/json.ts';
import { NotJsonError } from '../kernel/json/plain-json.ts';

export type ReadEnvelope =
  | { readonly ok: true; readonly type: string; readonly data: JsonValue }
  /** `kind` is the envelope's `type`, when it is readable. */
  | { readonly ok: false; readonly message: string; readonly kind: string | null };

/** Reads the envelope of a body, and ignores everything in it but type and data. */
export function readEnvelope(
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
