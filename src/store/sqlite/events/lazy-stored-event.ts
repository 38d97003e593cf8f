import { inspect } from 'node:util';
import type { EventFlag } from '../../../event/event.ts';
import type { EventRecord, StoredEvent, Verdict } from '../../../event/stored-event.ts';
import type { Subject } from '../../../event/subject.ts';
import type { JsonValue } from '../../../kernel/json/json.ts';
import { payload } from '../sql/payload.ts';

/**
 * A stored event whose payload is parsed when somebody first looks at it: that
 * takes longer than all else that is done for a delivery, and many a handler
 * never looks. To whoever does, `data` is a property like the others.
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

  /** @param body the envelope as it came; null once purged */
  constructor(record: EventRecord, body: string | null) {
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
    Object.defineProperty(this, 'data', LazyStoredEvent.#unparsed);
  }

  /** The same for all: a function for each event would cost as much as the rest of it. */
  static readonly #unparsed: PropertyDescriptor & ThisType<LazyStoredEvent> = {
    enumerable: true,
    configurable: true,
    get() {
      return this.#settle(payload(this.#body));
    },
    set(value: JsonValue) {
      this.#settle(value);
    },
  };

  #settle(value: JsonValue): JsonValue {
    Object.defineProperty(this, 'data', { value, enumerable: true, configurable: true, writable: true });
    this.#body = null;
    return value;
  }

  /** As the plain object that it stands for. */
  [inspect.custom](): StoredEvent {
    return Object.assign({}, this);
  }
}
