import { isEventKind, type DataOf, type EventKind } from '../contract/catalogue.ts';
import { specification } from '../contract/specification.ts';
import type { ParsedEvent } from '../event/event.ts';
import type { EventRecord } from '../event/stored-event.ts';
import type { TypedEvent, UnrecognizedEvent } from '../handle/define/handler-event.ts';
import { createIdentify } from '../identify/identify.ts';
import type { JsonObject } from '../kernel/json/json.ts';
import { createParse } from '../parse/parse.ts';
import { sampleData } from './sample-data.ts';

const parse = createParse(specification);
const identify = createIdentify(specification);

/** When test events arrived, in milliseconds since 1970. */
export const SAMPLE_TIME = Date.UTC(2026, 0, 1);

type RecordOverrides = Partial<Omit<EventRecord, 'kind' | 'recognized' | 'subject'>>;

/** The fields of an event that matter to a test. The others have sample values. */
export type TestEventOverrides<K extends EventKind> = RecordOverrides & {
  /** Fields of the payload; they replace those of the kind's sample. */
  readonly data?: Partial<DataOf<K>>;
};

/**
 * Returns an event as a handler receives it: `testEvent('charge.updated', { data: { status: 'paid' } })`.
 * Its subject and version are computed from its payload, as in production.
 *
 * @throws TypeError when the payload does not match the contract, because no handler would receive it.
 */
export function testEvent<K extends EventKind>(
  kind: K,
  overrides: TestEventOverrides<K> = {},
): TypedEvent<K> {
  const { data, ...record } = overrides;
  return eventOf(kind, { ...sampleData(kind), ...data }, record) as TypedEvent<K>;
}

/**
 * Returns an event of a kind that the contract does not contain, as a handler on a wildcard receives it:
 * `unrecognizedEvent('company.archived', { id: 7 })`.
 *
 * @throws TypeError when the contract contains the kind: use `testEvent`.
 */
export function unrecognizedEvent(
  kind: string,
  data: JsonObject,
  overrides: RecordOverrides = {},
): UnrecognizedEvent {
  if (isEventKind(kind)) throw new TypeError(`${kind} is a kind of the contract: use testEvent`);
  return eventOf(kind, data, overrides) as UnrecognizedEvent;
}

function eventOf(
  kind: string,
  data: unknown,
  record: RecordOverrides,
): EventRecord & { readonly data: unknown } {
  const parsed = parsedEvent(kind, data, record);
  const { subject, version } = identify(parsed);
  return {
    id: 'sample-1',
    kind,
    recognized: parsed.recognized,
    source: 'default',
    subject,
    verdict: 'new',
    flags: parsed.flags,
    version,
    receivedAt: SAMPLE_TIME,
    repeats: 0,
    lastRepeatAt: null,
    messageId: null,
    messageIdTrusted: false,
    ...record,
    data: parsed.data,
  };
}

function parsedEvent(kind: string, data: unknown, record: RecordOverrides): ParsedEvent {
  const parsed = parse({
    stage: 'verified',
    source: record.source ?? 'default',
    senderVerified: true,
    receivedAt: 0,
    headers: {},
    body: new TextEncoder().encode(JSON.stringify({ type: kind, data })),
    messageId: record.messageId ?? null,
    messageIdTrusted: record.messageIdTrusted ?? false,
  });
  if (parsed.stage !== 'rejected') return parsed;
  const issues = parsed.issues.map(({ path, message }) => `${path} ${message}`);
  throw new TypeError(`${parsed.message}: ${issues.join('; ')}`);
}
