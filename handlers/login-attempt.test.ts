import type { EventOf } from 'portaria';
import { machineSpecification, testEvent } from 'portaria/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import loginMachine, { loginAttempt } from './login-attempt.ts';

type Fields = Parameters<typeof testEvent<'company.login.failed'>>[1] extends infer O
  ? O extends { data?: infer D }
    ? D
    : never
  : never;

/** Events of one login, a second apart in the order they are made. */
function login(family: 'company' | 'user' = 'company') {
  let second = 0;
  const next = (): string => new Date(Date.UTC(2026, 10, 9, 10, 0, (second += 1))).toISOString();
  const base = () => ({ id: 12, occurred_at: next() });
  return {
    started: (data: Fields = {}) => testEvent(`${family}.login.started`, { data: { ...base(), ...data } }),
    step: (step: string, attempt = 1, data: Fields = {}) =>
      testEvent(`${family}.login.step.updated`, { data: { ...base(), step, attempt, ...data } as Fields }),
    succeeded: (attempt = 1, data: Fields = {}) =>
      testEvent(`${family}.login.succeeded`, { data: { ...base(), attempt, ...data } }),
    failed: (step: string | null, attempt = 1, data: Fields = {}) =>
      testEvent('company.login.failed', { data: { ...base(), step, attempt, ...data } as Fields }),
    connected: (data = {}) => testEvent(`${family}.login.connected`, { data: { ...base(), ...data } }),
    disconnected: (data = {}) => testEvent(`${family}.login.disconnected`, { data: { ...base(), ...data } }),
  };
}

const spec = machineSpecification(loginMachine);
const idle = { phase: 'idle', step: null, attempt: 0, session: 'disconnected' };

describe('a login attempt', () => {
  it.each(['company', 'user'] as const)('of a %s starts without a step, at attempt 1', (family) => {
    spec
      .given([])
      .when(login(family).started())
      .then({ ...idle, phase: 'running', attempt: 1 })
      .thenAnomalies();
  });

  it('goes through its steps', () => {
    const { started, step } = login();
    const given = [started(), step('credentials'), step('username')];
    spec
      .given(given)
      .when(step('password'))
      .then({ ...idle, phase: 'running', step: 'password', attempt: 1 })
      .thenAnomalies();
  });

  it('counts refused passwords up to 3 and codes up to 5', () => {
    const { started, step } = login();
    const given = [started(), step('password', 1), step('password', 2), step('password', 3)];
    const codes = [step('otp', 1), step('otp', 2), step('otp', 3), step('otp', 4)];
    spec
      .given([...given, ...codes])
      .when(step('otp', 5))
      .then({ ...idle, phase: 'running', step: 'otp', attempt: 5 })
      .thenAnomalies();
  });

  it('succeeds at step completed, with the attempt of the step that was accepted', () => {
    const { started, step, succeeded } = login();
    spec
      .given([started(), step('otp', 1), step('otp', 2)])
      .when(succeeded(2))
      .then({ ...idle, phase: 'succeeded', step: 'completed', attempt: 2 })
      .thenAnomalies();
  });

  it('fails where it stands', () => {
    const { started, step, failed } = login();
    spec
      .given([started(), step('otp', 1), step('otp', 2)])
      .when(failed('otp', 2))
      .then({ ...idle, phase: 'failed', step: 'otp', attempt: 2 })
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
      .then({ ...idle, phase: 'running', attempt: 1 })
      .thenAnomalies();
  });

  it('of a user may start again after a failure that the contract does not show', () => {
    const { started, step } = login('user');
    spec
      .given([started(), step('password')])
      .when(started())
      .thenAnomalies();
  });

  it('is told in any order', () => {
    const { started, step, failed } = login();
    const [start, otp, end] = [started(), step('otp'), failed('otp')];
    spec
      .given([end, otp])
      .when(start)
      .then({ ...idle, phase: 'failed', step: 'otp', attempt: 1 })
      .thenAnomalies()
      .then(({ late }) => {
        expect(late).toBe(true);
      });
  });
});

describe('a session', () => {
  it('begins and ends apart from attempts', () => {
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

  it('does not mind which of success and connection is told first, at the same instant', () => {
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
    ['a step without a start', [], step('otp'), /^step\.updated without a start$/],
    ['success without a start', [], succeeded(), /^succeeded without a start$/],
    ['failure without a start', [], failed('otp'), /^failed without a start$/],
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
    ['a start while one runs', running, started(), /^started while an attempt was running$/],
    ['connected twice', [connected()], connected(), /^connected while connected already$/],
    ['disconnected while not connected', [], disconnected(), /^disconnected while not connected$/],

    ['a start with a step', [], started({ step: 'otp' }), /^started at step otp, instead of none$/],
    ['a start at another attempt', [], started({ attempt: 2 }), /^started at attempt 2, instead of 1$/],
    ['a start that is connected', [], started({ connected: true }), /^started with connected true$/],
    ['a step that is none', running, step('otp', 3, { step: null }), /^step\.updated without a step$/],
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
      /^succeeded with attempt 1, but stood at otp, attempt 2$/,
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
      'failure elsewhere',
      running,
      failed('password', 2),
      /^failed at password, attempt 2, but stood at otp, attempt 2$/,
    ],
    [
      'failure at another attempt',
      running,
      failed('otp', 1),
      /^failed at otp, attempt 1, but stood at otp, attempt 2$/,
    ],
    ['an error in a step', running, step('otp', 3, { error: 'text' }), /^step\.updated with an error$/],
    [
      'connected at another step',
      [],
      connected({ step: 'otp' }),
      /^connected at step otp, instead of completed$/,
    ],
    ['connected that is not', [], connected({ connected: false }), /^connected with connected false$/],
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

    ['a repeat that skips', running, step('otp', 4), /^step otp, attempt 4, follows on otp, attempt 2$/],
    ['a repeat that goes back', running, step('otp', 1), /^step otp, attempt 1, follows on otp, attempt 2$/],
    [
      'a repeat that does not count',
      running,
      step('otp', 2),
      /^step otp, attempt 2, follows on otp, attempt 2$/,
    ],
    [
      'a step entered late',
      [started()],
      step('otp', 2),
      /^step otp, attempt 2, follows on the start, attempt 1$/,
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
    const beyond = new RegExp(`^attempt ${limit + 1} of step ${name}, which has ${limit}$`);
    spec
      .given([start, ...within])
      .when(step(name, limit + 1))
      .thenAnomalies(beyond)
      // What the provider reports has happened all the same.
      .then({ ...idle, phase: 'running', step: name, attempt: limit + 1 });
  });

  it('is an attempt below 1', () => {
    const { step } = login();
    spec
      .given([])
      .when(step('otp', 0))
      .thenAnomalies(/^step\.updated without a start$/, /^attempt 0 of step otp, which has 5$/);
  });

  it('says nothing personal', () => {
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

  it('run once for each event of their kind, with the change', async () => {
    const { started, step, succeeded, failed, connected, disconnected } = login();
    const story = [
      started(),
      step('otp', 1),
      step('otp', 2),
      succeeded(2),
      connected({ connected_at: '2026-11-09T10:00:05Z' }),
      disconnected(),
      started(),
      failed('certificate', 1, { error: 'expired' }),
    ];
    for (const [at, event] of story.entries()) {
      await machineSpecification(all).given(story.slice(0, at)).when(event).runEffects();
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
