import { expect, test } from 'vitest';
import { expectedState } from '../../demo/compare/expected-state.mjs';

const login = { status: 'success', step: 'completed', connected: true };

function told(family: 'company-login' | 'user-login', ...signals: readonly string[]) {
  const owner = family === 'company-login' ? 'company' : 'user';
  const events = signals.map((signal) => ({ messageId: signal, type: `${owner}.login.${signal}`, data: {} }));
  return { subject: `${family}:1`, family, id: 1, events };
}

test('of a login that was heard of from its start, attempt and session are known', () => {
  expect(expectedState(told('company-login', 'started', 'succeeded', 'connected'), login)).toEqual({
    phase: 'succeeded',
    step: 'completed',
    session: 'connected',
  });
});

test('what nobody was told of is not expected', () => {
  const ended = { ...login, connected: false };
  expect(expectedState(told('company-login', 'disconnected'), ended)).toEqual({ session: 'disconnected' });
  expect(
    expectedState(told('user-login', 'started'), { ...login, status: 'processing', step: null }),
  ).toEqual({
    phase: 'running',
    step: null,
  });
});

test('a failed attempt is told of companies, of users it is not', () => {
  const failed = { status: 'fail', step: 'otp', connected: false };
  expect(expectedState(told('company-login', 'started'), failed)).toEqual({ phase: 'failed', step: 'otp' });
  expect(expectedState(told('user-login', 'started'), failed)).toEqual({ phase: 'running', step: 'otp' });
});
