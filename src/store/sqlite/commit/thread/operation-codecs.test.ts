import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WriteOperations } from '../write-operations.ts';
import { BatchDecoder, BatchEncoder, type Codec } from './messages.ts';
import { operationCodecs } from './operation-codecs.ts';

const text = fc.string({ unit: 'grapheme' });
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const bytes = fc.uint8Array({ maxLength: 40 });
const digest = fc.uint8Array({ minLength: 32, maxLength: 32 });
const row = fc.nat();

const delivery = fc.record({
  source: text,
  senderVerified: fc.boolean(),
  receivedAt: row,
  messageId: orNull(text),
  headers: text,
  body: bytes,
});
const accept = fc.tuple(
  fc.record({
    delivery,
    kind: text,
    recognized: fc.boolean(),
    flags: fc.subarray(['ambiguous', 'unrecognized', 'check-digits', 'released'] as const),
    subject: fc.record({ family: text, id: text }),
    digest,
    messageDigest: orNull(digest),
    version: orNull(text),
  }),
  fc.array(
    fc.record({ handler: text, order: fc.constantFrom('subject', 'handler', 'none'), stale: fc.boolean() }),
  ),
  fc.record({ releases: text, copied: fc.boolean() }, { requiredKeys: [] }),
);
const acceptance = fc.oneof(
  fc.record({
    status: fc.constant('stored'),
    id: text,
    verdict: fc.constantFrom('new', 'stale', 'ambiguous'),
    flags: fc.subarray(['ambiguous', 'released'] as const),
    pending: row,
  }),
  fc.record({ status: fc.constant('duplicate'), id: text }),
  fc.record({ status: fc.constant('conflict'), id: text, quarantineId: text, dropped: row }),
);
const inFlight = fc.record({ id: row, handler: text, lane: fc.integer(), replayId: row });
const started = fc.record({
  delivery_id: row,
  handler: text,
  lane: fc.integer(),
  effect: text,
  effect_change: orNull(text),
  late: row,
  attempt: row,
  replay_id: row,
  event_id: row,
});
const end = fc.oneof(
  fc.record({ status: fc.constant('succeeded') }),
  fc.record({
    status: fc.constant('succeeded'),
    machine: fc.record({
      machine: text,
      state: fc.jsonValue(),
      revision: row,
      effects: fc.array(fc.record({ name: text })),
    }),
  }),
  fc.record({ status: fc.constantFrom('skipped', 'dead'), reason: text }),
);
const options = fc.record({ now: row, next: fc.boolean() });

/** Encodes a value with another behind it, clones the message, and decodes it. */
function roundTrip(codec: Codec<unknown>, value: unknown): unknown {
  const encoder = new BatchEncoder();
  codec.write(encoder, value);
  encoder.write('behind');
  const decoder = new BatchDecoder(structuredClone(encoder.finish()));
  const decoded = codec.read(decoder);
  expect(decoder.read()).toBe('behind');
  return decoded;
}

/** Any codec, without its types. */
interface AnyCodec {
  readonly parameters: Codec<unknown>;
  readonly result: Codec<unknown>;
}

const codecOf = (name: keyof WriteOperations) => operationCodecs[name] as unknown as AnyCodec;

test.each([
  ['accept', accept],
  [
    'quarantine',
    fc.tuple(
      fc.record({
        delivery,
        messageIdTrusted: fc.boolean(),
        reason: text,
        kind: orNull(text),
        message: text,
        issues: text,
      }),
    ),
  ],
  ['claim', fc.tuple(fc.record({ now: row, limit: row, handlers: fc.array(text) }))],
  ['complete', fc.tuple(inFlight, end, options)],
  ['reschedule', fc.tuple(inFlight, fc.record({ now: row, dueAt: row, reason: text }))],
  ['release', fc.tuple(text, fc.record({ dueAt: row }))],
  ['retryDeliveries', fc.tuple(fc.array(text), row)],
  ['discardDeliveries', fc.tuple(fc.array(text), fc.record({ reason: text, now: row }))],
] as const)(
  'decodes the parameters of %s as they were encoded',
  (name, parameters: fc.Arbitrary<readonly unknown[]>) => {
    const codec = codecOf(name).parameters;
    fc.assert(
      fc.property(parameters, (sent) => {
        expect(roundTrip(codec, sent)).toEqual(sent);
      }),
    );
  },
);

test('decodes an acceptance as it was encoded', () => {
  const codec = codecOf('accept').result;
  fc.assert(
    fc.property(acceptance, (sent) => {
      expect(roundTrip(codec, sent)).toEqual(sent);
    }),
  );
});

test('decodes claimed deliveries, and the lack of a following one, as they were encoded', () => {
  const claim = fc.record({ deliveries: fc.array(started), nextDueAt: orNull(row) });
  fc.assert(
    fc.property(claim, orNull(started), (claimed, following) => {
      expect(roundTrip(codecOf('claim').result, claimed)).toEqual(claimed);
      expect(roundTrip(codecOf('complete').result, following)).toEqual(following);
    }),
  );
});
