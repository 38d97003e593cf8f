import type { Contract } from '../contract/contract.ts';
import type { JsonValue } from '../kernel/json/json.ts';
import { parseJson } from '../kernel/json/parse-json.ts';
import { withSentNumbers } from '../kernel/json/sent-numbers.ts';
import { utf8Text, type StoredBody } from './stored-envelope.ts';
import type { Masking } from './unmasking.ts';

/** The payload of a stored body. */
export interface SentPayload {
  /** As handlers get it; null when it is pruned or cannot be read. */
  readonly data: JsonValue;
  /** As it is shown: masked or not, with numbers as they were sent. */
  readonly shown: JsonValue;
}

const NONE: SentPayload = { data: null, shown: null };

/** Reads the payload of a stored body. What a function of a custom source builds has numbers as parsed. */
export function sentPayload(
  { source, kind, body }: Pick<StoredBody, 'source' | 'body'> & { readonly kind: string },
  { unmask, contract }: Masking,
): SentPayload {
  const text = body === null ? undefined : utf8Text(body)?.replace(/^\uFEFF/u, '');
  if (text === undefined) return NONE;
  const data = payloadIn(text, source, contract);
  if (data === undefined) return NONE;
  const shown = unmask ? data : contract.mask(source, kind, data);
  const { dataPath } = contract.envelopeOf(source);
  return { data, shown: dataPath === null ? shown : withNumbersAt(shown, dataPath, text) };
}

function payloadIn(text: string, source: string, contract: Contract): JsonValue | undefined {
  try {
    return contract.envelopeOf(source).data(parseJson(text));
  } catch {
    // Not JSON, or a function of a custom source does not expect this body.
    return undefined;
  }
}

/** Puts the sent numbers into a payload at its place in the text; everything beside the payload is skipped. */
function withNumbersAt(payload: JsonValue, path: readonly string[], text: string): JsonValue {
  const around = path.reduceRight<JsonValue>((inner, step) => Object.fromEntries([[step, inner]]), payload);
  return path.reduce<JsonValue>(
    (value, step) => (value as Readonly<Record<string, JsonValue>>)[step]!,
    withSentNumbers(around, text),
  );
}
