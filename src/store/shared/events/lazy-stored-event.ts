/** A stored event whose payload is parsed when it is first read. */
import { inspect } from 'node:util';
import type { EventFlag } from '../../../event/event.ts';
import type { DataOf, EventRecord, StoredEvent, Verdict } from '../../../event/stored-event.ts';
import type { Subject } from '../../../event/subject.ts';
import type { JsonValue } from '../../../kernel/json/json.ts';
import { parseJson } from '../../../kernel/json/parse-json.ts';

/** A body may begin with one, which JSON.parse rejects. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * A stored event that parses its payload on first access. Parsing takes longer
 * than all other work for a delivery, and many handlers never read it. Callers
 * see `data` as an ordinary property.
 */
export class LazyStoredEvent implements StoredEvent {
  readonly id: string;
  readonly kind: string;
  readonly recognized: boolean;
  readonly source: string;
  readonly subject: Subject;
  readonly verdict: Verdict;
  readonly flags: readonly EventFlag[];
  readonly version: string | null;
  readonly receivedAt: number;
  readonly repeats: number;
  readonly lastRepeatAt: number | null;
  readonly messageId: string | null;
  readonly messageIdTrusted: boolean;
  declare readonly data: JsonValue;
  #body: string | null;
  readonly #dataOf: DataOf | undefined;

  /** @param body the envelope as received; null once pruned */
  constructor(record: EventRecord, body: string | null, dataOf?: DataOf) {
    this.id = record.id;
    this.kind = record.kind;
    this.recognized = record.recognized;
    this.source = record.source;
    this.subject = record.subject;
    this.verdict = record.verdict;
    this.flags = record.flags;
    this.version = record.version;
    this.receivedAt = record.receivedAt;
    this.repeats = record.repeats;
    this.lastRepeatAt = record.lastRepeatAt;
    this.messageId = record.messageId;
    this.messageIdTrusted = record.messageIdTrusted;
    this.#body = body;
    this.#dataOf = dataOf;
    Object.defineProperty(this, 'data', LazyStoredEvent.#unparsed);
  }

  /** Shared by all events: a function for each would cost as much as the rest of it. */
  static readonly #unparsed: PropertyDescriptor & ThisType<LazyStoredEvent> = {
    enumerable: true,
    configurable: true,
    get() {
      return this.#replaceData(payloadOf(this.#body, this.source, this.#dataOf));
    },
    set(value: JsonValue) {
      this.#replaceData(value);
    },
  };

  #replaceData(value: JsonValue): JsonValue {
    Object.defineProperty(this, 'data', { value, enumerable: true, configurable: true, writable: true });
    this.#body = null;
    return value;
  }

  /** Prints like the plain object. */
  [inspect.custom](): StoredEvent {
    return Object.assign({}, this);
  }
}

/**
 * Returns the `data` of an envelope; null for a pruned or unreadable body. The
 * parser stored only envelopes, and one bad row must not block the others.
 */
function payloadOf(body: string | null, source: string, dataOf: DataOf | undefined): JsonValue {
  if (body === null) return null;
  try {
    const json = body.startsWith(BYTE_ORDER_MARK) ? body.slice(1) : body;
    if (dataOf !== undefined) return dataOf(source, parseJson(json)) ?? null;
    const envelope = parseJson(json) as { readonly data?: JsonValue } | null;
    return envelope?.data ?? null;
  } catch {
    return null;
  }
}
