import { machineSpecification } from 'portaria/testing';
import { describe, expect, it } from 'vitest';
import { login } from '../../test/support/webhooks/login-events.ts';
import loginMachine from '../login-attempt.ts';

const spec = machineSpecification(loginMachine);
describe('an anomaly', () => {
  const { started, step, succeeded, failed, connected, disconnected } = login();
  const running = [started(), step('password'), step('otp', 1), step('otp', 2)];

  it.each([
    [
      'a step after success',
      [...running, succeeded(2)],
      step('otp'),
      /^step\.updated after the attempt had succeeded$/,
    ],
    [
      'a step after failure',
      [...running, failed('otp', 2)],
      step('otp'),
      /^step\.updated after the attempt had failed$/,
    ],
    [
      'success twice',
      [...running, succeeded(2)],
      succeeded(2),
      /^succeeded after the attempt had succeeded$/,
    ],
    [
      'failure after success',
      [...running, succeeded(2)],
      failed('otp', 2),
      /^failed after the attempt had succeeded$/,
    ],
    ['a start during another attempt', running, started(), /^started while an attempt was running$/],
    ['connected twice', [connected()], connected(), /^connected while already connected$/],
    ['disconnected twice', [disconnected()], disconnected(), /^disconnected while not connected$/],

    ['a start with a step', [], started({ step: 'otp' }), /^started at step otp, instead of none$/],
    ['a start at another attempt', [], started({ attempt: 2 }), /^started at attempt 2, instead of 1$/],
    ['a start that is connected', [], started({ connected: true }), /^started with connected true$/],
    ['a step that is null', running, step('otp', 3, { step: null }), /^step\.updated without a step$/],
    [
      'a step completed',
      running,
      step('completed', 1),
      /^step\.updated at step completed, which only a success reaches$/,
    ],
    [
      'a step that is connected',
      running,
      step('otp', 3, { connected: true }),
      /^step\.updated with connected true$/,
    ],
    [
      'success at another step',
      running,
      succeeded(2, { step: 'otp' }),
      /^succeeded at step otp, instead of completed$/,
    ],
    ['success without a step', running, succeeded(2, { step: null }), /^succeeded without a step$/],
    [
      'success that is not connected',
      running,
      succeeded(2, { connected: false }),
      /^succeeded with connected false$/,
    ],
    [
      'success with another attempt',
      running,
      succeeded(1),
      /^succeeded with attempt 1, but the attempt was at otp, attempt 2$/,
    ],
    ['failure without a step', running, failed(null, 2), /^failed without a step$/],
    [
      'failure at completed',
      [started()],
      failed('completed'),
      /^failed at step completed, which only a success reaches$/,
    ],
    [
      'failure that is connected',
      running,
      failed('otp', 2, { connected: true }),
      /^failed with connected true$/,
    ],
    ['failure without an error', running, failed('otp', 2, { error: null }), /^failed without an error$/],
    ['failure with an empty error', running, failed('otp', 2, { error: '' }), /^failed without an error$/],
    [
      'failure at another step',
      running,
      failed('password', 2),
      /^failed at password, attempt 2, but the attempt was at otp, attempt 2$/,
    ],
    [
      'failure at another attempt',
      running,
      failed('otp', 1),
      /^failed at otp, attempt 1, but the attempt was at otp, attempt 2$/,
    ],
    ['an error in a step', running, step('otp', 3, { error: 'text' }), /^step\.updated with an error$/],
    [
      'connected at another step',
      [],
      connected({ step: 'otp' }),
      /^connected at step otp, instead of completed$/,
    ],
    [
      'connected with connected false',
      [],
      connected({ connected: false }),
      /^connected with connected false$/,
    ],
    ['connected without its time', [], connected({ connected_at: null }), /^connected without connected_at$/],
    [
      'connected before the earlier disconnection',
      [],
      connected({ disconnected_at: '2027-01-01T00:00:00Z' }),
      /^connected before the earlier disconnection$/,
    ],
    [
      'disconnected that is connected',
      [connected()],
      disconnected({ connected: true }),
      /^disconnected with connected true$/,
    ],
    [
      'disconnected without a step',
      [connected()],
      disconnected({ step: null }),
      /^disconnected without a step$/,
    ],
    [
      'disconnected without its time',
      [connected()],
      disconnected({ disconnected_at: null }),
      /^disconnected without disconnected_at$/,
    ],
    [
      'disconnected before the last connection',
      [connected()],
      disconnected({ connected_at: '2027-01-01T00:00:00Z' }),
      /^disconnected before the last connection$/,
    ],

    [
      'a repeated step that skips a number',
      running,
      step('otp', 4),
      /^step otp, attempt 4, does not continue otp, attempt 2$/,
    ],
    [
      'a repeated step with a lower number',
      running,
      step('otp', 1),
      /^step otp, attempt 1, does not continue otp, attempt 2$/,
    ],
    [
      'a repeated step with the same number',
      running,
      step('otp', 2),
      /^step otp, attempt 2, does not continue otp, attempt 2$/,
    ],
    [
      'a first step with number 2',
      [started()],
      step('otp', 2),
      /^step otp, attempt 2, does not continue the start, attempt 1$/,
    ],
    ['an attempt 0', [], started({ attempt: 0 }), /^started at attempt 0, instead of 1$/],
  ])('is %s', (_, given, when, anomaly) => {
    spec.given(given).when(when).thenAnomalies(anomaly);
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
