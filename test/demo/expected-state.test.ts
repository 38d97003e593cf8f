/** What the demo expects a subject to be, by the webhooks that were sent. */
import { expect, test } from 'vitest';
import { expectedState } from '../../demo/compare/expected-state.mjs';

const login = { status: 'success', step: 'completed', connected: true };

function sent(family: 'company-login' | 'user-login', ...signals: readonly string[]) {
  const owner = family === 'company-login' ? 'company' : 'user';
  const events = signals.map((signal) => ({ messageId: signal, type: `${owner}.login.${signal}`, data: {} }));
  return { subject: `${family}:1`, family, id: 1, events };
}

test('expects attempt and session of a login that was sent from its start', () => {
  expect(expectedState(sent('company-login', 'started', 'succeeded', 'connected'), login)).toEqual({
    phase: 'succeeded',
    step: 'completed',
    session: 'connected',
  });
});

test('expects only what was sent', () => {
  const ended = { ...login, connected: false };
  expect(expectedState(sent('company-login', 'disconnected'), ended)).toEqual({ session: 'disconnected' });
  expect(
    expectedState(sent('user-login', 'started'), { ...login, status: 'processing', step: null }),
  ).toEqual({
    phase: 'running',
    step: null,
  });
});

test('expects a failed attempt of companies, not of users', () => {
  const failed = { status: 'fail', step: 'otp', connected: false };
  expect(expectedState(sent('company-login', 'started'), failed)).toEqual({ phase: 'failed', step: 'otp' });
  expect(expectedState(sent('user-login', 'started', 'step.updated'), failed)).toEqual({
    phase: 'running',
    step: 'otp',
  });
});

test('expects no step of a user whose attempt failed before the first one', () => {
  const failed = { status: 'fail', step: 'credentials', connected: false };
  expect(expectedState(sent('user-login', 'started'), failed)).toEqual({ phase: 'running', step: null });
});
