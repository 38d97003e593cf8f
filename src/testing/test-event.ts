/** Events for tests of handlers and machines. */
import { isEventKind, type DataOf, type EventKind } from '../contract/catalogue.ts';
import type { Contract } from '../contract/contract.ts';
import { specification } from '../contract/specification.ts';
import type { ParsedEvent } from '../event/event.ts';
import type { EventRecord } from '../event/stored-event.ts';
import type { OwnEvent, TypedEvent, UnrecognizedEvent } from '../handle/define/handler-event.ts';
import type { KindDefinition } from '../handle/kinds/kind-definition.ts';
import { createIdentify } from '../identify/identify.ts';
import type { JsonObject } from '../kernel/json/json.ts';
import { createParse } from '../parse/parse.ts';
import { contractWith, sampleData } from './sample-data.ts';

/** When test events arrived, in milliseconds since 1970. */
export const SAMPLE_TIME = Date.UTC(2026, 0, 1);

type RecordOverrides = Partial<Omit<EventRecord, 'kind' | 'recognized' | 'subject'>>;

/** The fields of an event that matter to a test. The others have sample values. */
export type TestEventOverrides<K extends EventKind | KindDefinition> = RecordOverrides & {
  /** Fields of the payload; they replace those of the kind's sample. */
  readonly data?: Partial<
    K extends KindDefinition<string, infer Data> ? Data : DataOf<Extract<K, EventKind>>
  >;
};

/**
 * Returns an event as a handler receives it: `testEvent('charge.updated', { data: { status: 'paid' } })`, or of a
 * custom kind `testEvent(archived, { data: { id: 7 } })`. Its subject and version are computed from its payload,
 * as in production.
 *
 * @throws TypeError when the payload does not match the contract, because no handler would receive it, or when
 *   no sample of a definition can be made.
 */
export function testEvent<K extends EventKind>(kind: K, overrides?: TestEventOverrides<K>): TypedEvent<K>;
export function testEvent<K extends KindDefinition>(kind: K, overrides?: TestEventOverrides<K>): OwnEvent<K>;
export function testEvent(
  kind: EventKind | KindDefinition,
  { data, ...record }: RecordOverrides & { readonly data?: object } = {},
): unknown {
  const [name, contract, sample] =
    typeof kind === 'string'
      ? ([kind, specification, sampleData(kind)] as const)
      : ([kind.kind, contractWith(kind), sampleData(kind)] as const);
  return eventOf(contract, name, { ...(sample as object), ...data }, record);
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
  return eventOf(specification, kind, data, overrides) as UnrecognizedEvent;
}

function eventOf(
  contract: Contract,
  kind: string,
  data: unknown,
  record: RecordOverrides,
): EventRecord & { readonly data: unknown } {
  const parsed = parsedEvent(contract, kind, data, record);
  const { subject, version } = createIdentify(contract, (id) => id)(parsed);
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

function parsedEvent(contract: Contract, kind: string, data: unknown, record: RecordOverrides): ParsedEvent {
  const parsed = createParse(contract)({
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
