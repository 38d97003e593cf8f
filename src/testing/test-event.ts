import type { DataOf, EventKind } from '../contract/catalogue.ts';
import { specification } from '../contract/specification.ts';
import type { EventRecord } from '../event/stored-event.ts';
import type { TypedEvent } from '../handle/define/handler-event.ts';
import { createIdentify } from '../identify/identify.ts';
import { createParse } from '../parse/parse.ts';
import { sampleData } from './sample-data.ts';

const parse = createParse(specification);
const identify = createIdentify(specification);

/** The fields of an event that matter to a test. The others have sample values. */
export type TestEventOverrides<K extends EventKind> = Partial<
  Omit<EventRecord, 'kind' | 'recognized' | 'subject'>
> & {
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
  const { data: changes, ...record } = overrides;
  const data = { ...sampleData(kind), ...changes };
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
  if (parsed.stage === 'rejected') {
    const issues = parsed.issues.map(({ path, message }) => `${path} ${message}`);
    throw new TypeError(`${parsed.message}: ${issues.join('; ')}`);
  }
  const { subject, version } = identify(parsed);
  const event: EventRecord & { readonly data: unknown } = {
    id: 'sample-1',
    kind,
    recognized: true,
    source: 'default',
    subject,
    verdict: 'new',
    flags: parsed.flags,
    version,
    receivedAt: Date.UTC(2026, 0, 1),
    repeats: 0,
    lastRepeatAt: null,
    messageId: null,
    messageIdTrusted: false,
    ...record,
    data: parsed.data,
  };
  return event as TypedEvent<K>;
}
