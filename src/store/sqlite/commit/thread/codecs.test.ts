import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WriteOperations } from '../write-operations.ts';
import { codecs } from './codecs.ts';
import { TapeReader, TapeWriter } from './batch-encoder.ts';

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
const held = fc.record({ id: row, handler: text, lane: fc.integer(), replayId: row });
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
const options = fc.record({ now: row, next: fc.boolean(), replay: text }, { requiredKeys: ['now', 'next'] });

/** What goes through one end of a codec and comes out at the other, with another value behind it. */
function through(put: (tape: TapeWriter) => void, take: (tape: TapeReader) => unknown): unknown {
  const tape = new TapeWriter();
  put(tape);
  tape.put('behind');
  const reader = new TapeReader(structuredClone(tape.cut()));
  const value = take(reader);
  expect(reader.take()).toBe('behind');
  return value;
}

/** Any codec, as one that takes and gives anything. */
interface AnyCodec {
  putParameters(tape: TapeWriter, ...parameters: readonly unknown[]): void;
  takeParameters(tape: TapeReader): unknown;
  putResult(tape: TapeWriter, result: unknown): void;
  takeResult(tape: TapeReader): unknown;
}

const codecOf = (name: keyof WriteOperations): AnyCodec => codecs[name];

test.each([
  ['accept', accept],
  [
    'quarantine',
    fc.tuple(fc.record({ delivery, reason: text, kind: orNull(text), message: text, issues: text })),
  ],
  ['claim', fc.tuple(fc.record({ now: row, limit: row, handlers: fc.array(text) }))],
  ['complete', fc.tuple(held, end, options)],
  ['reschedule', fc.tuple(held, fc.record({ now: row, dueAt: row, reason: text }))],
  ['release', fc.tuple(text, fc.record({ dueAt: row }))],
  ['retryDeliveries', fc.tuple(fc.array(text), row)],
] as const)(
  'the parameters of %s arrive as they were',
  (name, parameters: fc.Arbitrary<readonly unknown[]>) => {
    const codec = codecOf(name);
    fc.assert(
      fc.property(parameters, (sent) => {
        const arrived = through(
          (tape) => {
            codec.putParameters(tape, ...sent);
          },
          (tape) => codec.takeParameters(tape),
        );
        expect(arrived).toEqual(sent);
      }),
    );
  },
);

test('an acceptance arrives as it was', () => {
  const codec = codecOf('accept');
  fc.assert(
    fc.property(acceptance, (sent) => {
      const arrived = through(
        (tape) => {
          codec.putResult(tape, sent);
        },
        (tape) => codec.takeResult(tape),
      );
      expect(arrived).toEqual(sent);
    }),
  );
});
