import { machineSpecification } from 'portaria/testing';
import { describe, expect, it } from 'vitest';
import { login } from '../../test/support/webhooks/login-events.ts';
import loginMachine from '../login-attempt.ts';

const spec = machineSpecification(loginMachine);
describe('an anomaly', () => {
  const { started, step, succeeded, failed, connected, disconnected } = login();
  const running = [started(), step('password'), step('otp', 1), step('otp', 2)];

  it.each([
    ['step.updated after the attempt had succeeded', [...running, succeeded(2)], step('otp')],
    ['step.updated after the attempt had failed', [...running, failed('otp', 2)], step('otp')],
    ['succeeded after the attempt had succeeded', [...running, succeeded(2)], succeeded(2)],
    ['failed after the attempt had succeeded', [...running, succeeded(2)], failed('otp', 2)],
    ['started while an attempt was running', running, started()],
    ['connected while already connected', [connected()], connected()],
    ['disconnected while not connected', [disconnected()], disconnected()],
    ['started at step otp, instead of none', [], started({ step: 'otp' })],
    ['started at attempt 2, instead of 1', [], started({ attempt: 2 })],
    ['started with connected true', [], started({ connected: true })],
    ['step.updated without a step', running, step('otp', 3, { step: null })],
    ['step.updated at step completed, which only a success reaches', running, step('completed', 1)],
    ['step.updated with connected true', running, step('otp', 3, { connected: true })],
    ['succeeded at step otp, instead of completed', running, succeeded(2, { step: 'otp' })],
    ['succeeded without a step', running, succeeded(2, { step: null })],
    ['succeeded with connected false', running, succeeded(2, { connected: false })],
    ['succeeded with attempt 1, but the attempt was at otp, attempt 2', running, succeeded(1)],
    ['failed without a step', running, failed(null, 2)],
    ['failed at step completed, which only a success reaches', [started()], failed('completed')],
    ['failed with connected true', running, failed('otp', 2, { connected: true })],
    ['failed without an error', running, failed('otp', 2, { error: null })],
    ['failed without an error', running, failed('otp', 2, { error: '' })],
    ['failed at password, attempt 2, but the attempt was at otp, attempt 2', running, failed('password', 2)],
    ['failed at otp, attempt 1, but the attempt was at otp, attempt 2', running, failed('otp', 1)],
    ['step.updated with an error', running, step('otp', 3, { error: 'text' })],
    ['connected at step otp, instead of completed', [], connected({ step: 'otp' })],
    ['connected with connected false', [], connected({ connected: false })],
    ['connected without connected_at', [], connected({ connected_at: null })],
    [
      'connected before the earlier disconnection',
      [],
      connected({ disconnected_at: '2027-01-01T00:00:00Z' }),
    ],
    ['disconnected with connected true', [connected()], disconnected({ connected: true })],
    ['disconnected without a step', [connected()], disconnected({ step: null })],
    ['disconnected without disconnected_at', [connected()], disconnected({ disconnected_at: null })],
    [
      'disconnected before the last connection',
      [connected()],
      disconnected({ connected_at: '2027-01-01T00:00:00Z' }),
    ],
    ['step otp, attempt 4, does not continue otp, attempt 2', running, step('otp', 4)],
    ['step otp, attempt 1, does not continue otp, attempt 2', running, step('otp', 1)],
    ['step otp, attempt 2, does not continue otp, attempt 2', running, step('otp', 2)],
    ['step otp, attempt 2, does not continue the start, attempt 1', [started()], step('otp', 2)],
    ['started at attempt 0, instead of 1', [], started({ attempt: 0 })],
  ])('is told: %s', (anomaly, given, when) => {
    const exactly = new RegExp(`^${anomaly.replaceAll('.', String.raw`\.`)}$`);
    spec.given(given).when(when).thenAnomalies(exactly);
  });

  it.each([
    ['password', 3],
    ['otp', 5],
    ['credentials', 1],
    ['username', 1],
    ['certificate', 1],
  ])('is an attempt of step %s beyond %i', (name, limit) => {
    const { started, step } = login();
    const start = started();
    const within = Array.from({ length: limit }, (_, at) => step(name, at + 1));
    spec
      .given([start, ...within.slice(0, -1)])
      .when(within.at(-1)!)
      .thenAnomalies();
    const beyond = new RegExp(`^attempt ${limit + 1} of step ${name}, which allows ${limit}$`);
    spec
      .given([start, ...within])
      .when(step(name, limit + 1))
      .thenAnomalies(beyond)
      // The state still follows the provider's report.
      .then({ phase: 'running', step: name, attempt: limit + 1, session: 'unknown' });
  });

  it('is an attempt below 1', () => {
    const { step } = login();
    spec
      .given([])
      .when(step('otp', 0))
      .thenAnomalies(/^attempt 0 of step otp, which allows 5$/);
  });

  it('contains no personal data', () => {
    const secret = 'the portal said that Maria may not enter';
    const { failed } = login();
    spec
      .given([])
      .when(failed('completed', 9, { error: secret, connected: true }))
      .then(({ anomalies, state }) => {
        expect(anomalies.length).toBeGreaterThan(2);
        expect(JSON.stringify([anomalies, state])).not.toMatch(/Maria|lg_|\d{6}/);
      });
  });
});
