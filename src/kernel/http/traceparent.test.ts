import { channel } from 'node:diagnostics_channel';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { storedTraceparent, traceHeaders, validTraceparent } from './traceparent.ts';

const VALID = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('a header traceparent', () => {
  test.each([
    undefined,
    '',
    `${VALID}, ${VALID}`,
    VALID.toUpperCase(),
    VALID.replace('00', 'ff'),
    VALID.replace('0af7651916cd43dd8448eb211c80319c', '0'.repeat(32)),
    VALID.replace('b7ad6b7169203331', '0'.repeat(16)),
    `${VALID}\n`,
  ])('is not valid as %j', (value) => {
    expect(validTraceparent(value)).toBeNull();
  });

  test('is found in stored headers, whatever others say', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (others) => {
        expect(storedTraceparent(JSON.stringify({ ...others, traceparent: VALID, last: '' }))).toBe(VALID);
        const { traceparent: _, ...without } = others;
        expect(
          storedTraceparent(JSON.stringify({ ...without, forged: `"traceparent":"${VALID}"` })),
        ).toBeNull();
      }),
    );
  });

  test('is sent on, except where OpenTelemetry instruments fetch and would add another one', () => {
    expect(traceHeaders(VALID)).toEqual({ traceparent: VALID });
    expect(traceHeaders(null)).toEqual({});

    const instrumentation = (): void => undefined;
    channel('undici:request:create').subscribe(instrumentation);
    onTestFinished(() => {
      channel('undici:request:create').unsubscribe(instrumentation);
    });

    expect(traceHeaders(VALID)).toEqual({});
  });
});
