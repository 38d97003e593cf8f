import type { EventOf } from 'portaria';
import { machineSpecification } from 'portaria/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { login } from '../test/support/webhooks/login-events.ts';
import loginMachine, { loginAttempt } from './login-attempt.ts';

const spec = machineSpecification(loginMachine);
const unknown = { phase: 'unknown', step: null, attempt: 0, session: 'unknown' };

describe('a login attempt', () => {
  it.each(['company', 'user'] as const)('of a %s starts without a step, at attempt 1', (family) => {
    spec
      .given([])
      .when(login(family).started())
      .then({ ...unknown, phase: 'running', attempt: 1 })
      .thenAnomalies();
  });

  it('goes through its steps', () => {
    const { started, step } = login();
    const given = [started(), step('credentials'), step('username')];
    spec
      .given(given)
      .when(step('password'))
      .then({ ...unknown, phase: 'running', step: 'password', attempt: 1 })
      .thenAnomalies();
  });

  it('allows 3 passwords and 5 codes', () => {
    const { started, step } = login();
    const given = [started(), step('password', 1), step('password', 2), step('password', 3)];
    const codes = [step('otp', 1), step('otp', 2), step('otp', 3), step('otp', 4)];
    spec
      .given([...given, ...codes])
      .when(step('otp', 5))
      .then({ ...unknown, phase: 'running', step: 'otp', attempt: 5 })
      .thenAnomalies();
  });

  it('succeeds at step completed, with the attempt of the step that was accepted', () => {
    const { started, step, succeeded } = login();
    spec
      .given([started(), step('otp', 1), step('otp', 2)])
      .when(succeeded(2))
      .then({ ...unknown, phase: 'succeeded', step: 'completed', attempt: 2 })
      .thenAnomalies();
  });

  it('fails at its current step', () => {
    const { started, step, failed } = login();
    spec
      .given([started(), step('otp', 1), step('otp', 2)])
      .when(failed('otp', 2))
      .then({ ...unknown, phase: 'failed', step: 'otp', attempt: 2 })
      .thenAnomalies();
  });

  it('may fail before its first step was reported', () => {
    const { started, failed } = login();
    spec.given([started()]).when(failed('credentials')).thenAnomalies();
  });

  it.each(['succeeded', 'failed'] as const)('may start again once it has %s', (end) => {
    const { started, step, succeeded, failed } = login();
    const given = [started(), step('otp'), end === 'succeeded' ? succeeded() : failed('otp')];
    spec
      .given(given)
      .when(started())
      .then({ ...unknown, phase: 'running', attempt: 1 })
      .thenAnomalies();
  });

  it('of a user may start again after a failure that the machine does not receive', () => {
    const { started, step } = login('user');
    spec
      .given([started(), step('password')])
      .when(started())
      .thenAnomalies();
  });

  it('ends in the same state for another order of arrival', () => {
    const { started, step, failed } = login();
    const [start, otp, end] = [started(), step('otp'), failed('otp')];
    spec
      .given([end, otp])
      .when(start)
      .then({ ...unknown, phase: 'failed', step: 'otp', attempt: 1 })
      .thenAnomalies()
      .then(({ late }) => {
        expect(late).toBe(true);
      });
  });
});

describe('a session', () => {
  it('begins and ends independently of attempts', () => {
    const { started, step, succeeded, connected, disconnected } = login();
    const attempt = [started(), step('certificate'), succeeded()];
    const after = { phase: 'succeeded', step: 'completed', attempt: 1 };
    const session = connected();
    spec
      .given(attempt)
      .when(session)
      .then({ ...after, session: 'connected' })
      .thenAnomalies();
    spec
      .given([...attempt, session])
      .when(disconnected())
      .then({ ...after, session: 'disconnected' })
      .thenAnomalies();
  });

  it('may begin again', () => {
    const { connected, disconnected } = login();
    const times = { connected_at: '2026-11-10T08:00:00Z', disconnected_at: '2026-11-09T18:04:41Z' };
    spec.given([connected(), disconnected()]).when(connected(times)).thenAnomalies();
  });

  it('ends in the same state whichever of success and connection arrives first', () => {
    const occurred_at = '2026-11-09T10:05:06Z';
    const { started, step } = login();
    const before = [
      started({ occurred_at: '2026-11-09T10:00:00Z' }),
      step('otp', 1, { occurred_at: '2026-11-09T10:00:01Z' }),
    ];
    const succeeded = login().succeeded(1, { occurred_at });
    const connected = login().connected({ occurred_at });
    const both = { phase: 'succeeded', step: 'completed', attempt: 1, session: 'connected' };
    spec
      .given([...before, succeeded])
      .when(connected)
      .then(both)
      .thenAnomalies();
    spec
      .given([...before, connected])
      .when(succeeded)
      .then(both)
      .thenAnomalies();
  });
});

describe('the effects', () => {
  const called: string[] = [];
  const all = loginAttempt({
    name: 'login-effects',
    onStarted: ({ after }) => called.push(`started ${after.phase}`),
    onStep: ({ after }) => called.push(`step ${String(after.step)} ${after.attempt}`),
    onSucceeded: ({ event }) => called.push(`succeeded ${event.data.attempt}`),
    onFailed({ event, late }, context) {
      expectTypeOf(event).toEqualTypeOf<EventOf<'company.login.failed'>>();
      called.push(`failed ${String(event.data.error)} ${String(late)} ${context.attempt}`);
    },
    onConnected: ({ event }) => called.push(`connected ${String(event.data.connected_at)}`),
    onDisconnected: ({ before, after }) => called.push(`${before.session} to ${after.session}`),
  });

  it('run once for each event of their kind', async () => {
    const { started, step, succeeded, failed, connected, disconnected } = login();
    const events = [
      started(),
      step('otp', 1),
      step('otp', 2),
      succeeded(2),
      connected({ connected_at: '2026-11-09T10:00:05Z' }),
      disconnected(),
      started(),
      failed('certificate', 1, { error: 'expired' }),
    ];
    for (const [at, event] of events.entries()) {
      await machineSpecification(all).given(events.slice(0, at)).when(event).runEffects();
    }
    expect(called).toEqual([
      'started running',
      'step otp 1',
      'step otp 2',
      'succeeded 2',
      'connected 2026-11-09T10:00:05Z',
      'connected to disconnected',
      'started running',
      'failed expired false 1',
    ]);
  });

  it('are none by default', () => {
    expect(loginMachine.effects).toEqual([]);
    expect(loginMachine).toMatchObject({ name: 'login-attempt', on: ['company.login.*', 'user.login.*'] });
    expect(loginAttempt({ name: 'other', timeoutMs: 5, onStep: () => 1 })).toMatchObject({
      name: 'other',
      timeoutMs: 5,
      effects: [{ name: 'onStep' }],
    });
  });
});
