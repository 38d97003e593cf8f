/** Payloads as views show them: masked or not, with numbers as they were sent. */
import type { Contract } from '../../contract/contract.ts';
import type { JsonValue } from '../../kernel/json/json.ts';
import { parseJson } from '../../kernel/json/parse-json.ts';
import { withSentNumbers } from '../../kernel/json/sent-numbers.ts';
import { beginTimeSlice } from '../../kernel/time/time-slice.ts';
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

type ReadBody = Pick<StoredBody, 'source' | 'body'> & { readonly kind: string };

/** Reads the payload of a stored body. What a function of a custom source builds has numbers as parsed. */
export function sentPayload(event: ReadBody, { unmask, contract }: Masking): SentPayload {
  const { source, kind } = event;
  const { text, data } = parsedBody(event, contract) ?? {};
  if (text === undefined || data === undefined) return NONE;
  const shown = unmask ? data : contract.mask(source, kind, data);
  return { data, shown: withNumbers(shown, text, source, contract) };
}

/** A payload that is worked out as it is asked for, once: each step is work of its own for the event loop. */
export interface SteppedPayload {
  /** As handlers get it; null when it is pruned or cannot be read. */
  data(): Promise<JsonValue>;
  /** Unmasked, with numbers as they were sent. */
  whole(): Promise<JsonValue>;
  /** As it is shown: masked or not, with numbers as they were sent. */
  shown(): Promise<JsonValue>;
}

/** Reads the payload of a stored body step by step. A megabyte of small values takes tens of milliseconds a step. */
export function steppedPayload(event: ReadBody, { unmask, contract }: Masking): SteppedPayload {
  const { source, kind } = event;
  const slice = beginTimeSlice();
  const step = async <T>(work: () => T): Promise<T> => {
    if (slice.isOver()) await slice.next();
    return work();
  };
  const parsed = once(() => step(() => parsedBody(event, contract)));
  const withSent = async (value: JsonValue, text: string): Promise<JsonValue> =>
    step(() => withNumbers(value, text, source, contract));
  const whole = once(async () => {
    const body = await parsed();
    return body === undefined ? null : withSent(body.data, body.text);
  });
  const masked = once(async () => {
    const body = await parsed();
    if (body === undefined) return null;
    return withSent(await step(() => contract.mask(source, kind, body.data)), body.text);
  });
  return { data: async () => (await parsed())?.data ?? null, whole, shown: unmask ? whole : masked };
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}

function parsedBody(
  { source, body }: ReadBody,
  contract: Contract,
): { readonly text: string; readonly data: JsonValue } | undefined {
  const text = body === null ? undefined : utf8Text(body)?.replace(/^\uFEFF/u, '');
  const data = text === undefined ? undefined : payloadIn(text, source, contract);
  return text === undefined || data === undefined ? undefined : { text, data };
}

function withNumbers(shown: JsonValue, text: string, source: string, contract: Contract): JsonValue {
  const { dataPath } = contract.envelopeOf(source);
  return dataPath === null ? shown : withNumbersAt(shown, dataPath, text);
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
