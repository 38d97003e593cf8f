import { testEvent, type TestEventOverrides } from '../../../src/testing/test-event.ts';

type Fields = NonNullable<TestEventOverrides<'company.login.failed'>['data']>;

/** Returns functions that create events of one login, each a second after the last. */
export function login(family: 'company' | 'user' = 'company') {
  let second = 0;
  const next = (): string => new Date(Date.UTC(2026, 10, 9, 10, 0, (second += 1))).toISOString();
  const base = () => ({ id: 12, occurred_at: next() });
  return {
    started: (data: Fields = {}) => testEvent(`${family}.login.started`, { data: { ...base(), ...data } }),
    step: (step: string, attempt = 1, data: Fields = {}) =>
      testEvent(`${family}.login.step.updated`, { data: { ...base(), step, attempt, ...data } }),
    succeeded: (attempt = 1, data: Fields = {}) =>
      testEvent(`${family}.login.succeeded`, { data: { ...base(), attempt, ...data } }),
    failed: (step: string | null, attempt = 1, data: Fields = {}) =>
      testEvent('company.login.failed', { data: { ...base(), step, attempt, ...data } }),
    connected: (data = {}) => testEvent(`${family}.login.connected`, { data: { ...base(), ...data } }),
    disconnected: (data = {}) => testEvent(`${family}.login.disconnected`, { data: { ...base(), ...data } }),
  };
}
