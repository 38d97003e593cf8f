/** What the demo expects a machine's state to be, by the events that the receiver has. */
import { expect, test } from 'vitest';
import { expectedState } from '../../demo/compare/expected-state.mjs';

function received(...signals: readonly (readonly [signal: string, version: string, step?: string])[]) {
  const events = signals.map(([signal, version, step = null]) => ({
    ...{ id: signal, kind: `company.login.${signal}`, version, messageId: signal, data: { step } },
  }));
  return expectedState('company-login', { events });
}

test('expects attempt and session by their latest events, whatever arrived last', () => {
  expect(received(['succeeded', '3', 'completed'], ['connected', '4'], ['step.updated', '2', 'otp'])).toEqual(
    {
      ...{ phase: 'succeeded', step: 'completed', session: 'connected' },
    },
  );
});

test('expects only what events tell', () => {
  expect(received(['disconnected', '1'])).toEqual({ session: 'disconnected' });
  expect(received(['started', '1'])).toEqual({ phase: 'running', step: null });
});

test('expects the failure of an attempt', () => {
  expect(received(['started', '1'], ['failed', '2', 'otp'])).toEqual({ phase: 'failed', step: 'otp' });
});
