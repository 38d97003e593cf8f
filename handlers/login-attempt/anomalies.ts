/** What a login must not do by the specification. */
import { undeclaredFields } from 'portaria';
import { isMove, signalOf, type LoginChange, type LoginEvent, type LoginState } from './state.ts';

/** The highest attempt number of a step (specification, Limits); 1 for every other step. */
const limits: Readonly<Record<string, number>> = { password: 3, otp: 5 };
const highestLimit = Math.max(...Object.values(limits));

/** The steps that the specification lists (Shared enumerations). */
const steps: ReadonlySet<string> = new Set([
  'credentials',
  'username',
  'password',
  'certificate',
  'otp',
  'completed',
]);

/** Completes "<signal> …" for a signal that the phase does not allow. */
const contexts = {
  running: 'while an attempt was running',
  succeeded: 'after the attempt had succeeded',
  failed: 'after the attempt had failed',
  connected: 'while already connected',
  disconnected: 'while not connected',
} as const;

/** Describes what the specification rules out about an event (Events, Login attempt payload fields). */
export function loginAnomalies({ before, event }: LoginChange): readonly string[] {
  return [...impossibleMoves(before, event), ...contradictions(event), ...wrongAttempts(before, event)];
}

function impossibleMoves(before: LoginState, event: LoginEvent): readonly string[] {
  const signal = signalOf(event);
  const phase = signal === 'connected' || signal === 'disconnected' ? before.session : before.phase;
  if (phase === 'unknown' || isMove(phase, signal)) return [];
  // The previous attempt of a user may have failed: machines do not receive `user.login.failed`.
  if (event.kind === 'user.login.started' && phase === 'running') return [];
  return [`${signal} ${contexts[phase]}`];
}

/** Values that contradict each other within one event. */
function contradictions(event: LoginEvent): readonly string[] {
  const signal = signalOf(event);
  const { connected, step } = event.data;
  const found: string[] = [];
  if (connected !== (signal === 'connected' || signal === 'succeeded')) {
    found.push(`${signal} with connected ${String(connected)}`);
  }
  if (signal === 'started') {
    if (step !== null) found.push(`started at step ${step}, instead of none`);
  } else if (step === null) {
    found.push(`${signal} without a step`);
  } else if ((signal === 'succeeded' || signal === 'connected') && step !== 'completed') {
    found.push(`${signal} at step ${step}, instead of completed`);
  } else if ((signal === 'step.updated' || signal === 'failed') && step === 'completed') {
    found.push(`${signal} at step completed, which only a success reaches`);
  }
  const error = undeclaredFields(event.data)['error'] ?? '';
  if (signal === 'failed' && error === '') found.push('failed without an error');
  if (signal !== 'failed' && error !== '') found.push(`${signal} with an error`);
  return [...found, ...sessionTimes(event)];
}

/** In a `connected` or `disconnected` event, the time of the cause must be the later of the two times. */
function sessionTimes(event: LoginEvent): readonly string[] {
  switch (event.kind) {
    case 'company.login.connected':
    case 'user.login.connected': {
      const { connected_at, disconnected_at } = event.data;
      if (connected_at == null) return ['connected without connected_at'];
      return isAfter(disconnected_at, connected_at) ? ['connected before the earlier disconnection'] : [];
    }
    case 'company.login.disconnected':
    case 'user.login.disconnected': {
      const { connected_at, disconnected_at } = event.data;
      if (disconnected_at == null) return ['disconnected without disconnected_at'];
      return isAfter(connected_at, disconnected_at) ? ['disconnected before the last connection'] : [];
    }
    default:
      return [];
  }
}

/** Attempt numbers beyond the limit of their step, or that do not continue the previous event. */
function wrongAttempts(before: LoginState, event: LoginEvent): readonly string[] {
  switch (event.kind) {
    case 'company.login.connected':
    case 'user.login.connected':
    case 'company.login.disconnected':
    case 'user.login.disconnected':
      return [];
    case 'company.login.started':
    case 'user.login.started':
      return event.data.attempt === 1 ? [] : [`started at attempt ${event.data.attempt}, instead of 1`];
    default:
  }
  const { attempt, step } = event.data;
  if (step !== null && !steps.has(step)) return [`step ${step} is not known`];
  const limit = step === null || step === 'completed' ? highestLimit : (limits[step] ?? 1);
  const found =
    attempt < 1 || attempt > limit
      ? [`attempt ${attempt} of step ${step ?? 'none'}, which allows ${limit}`]
      : [];
  // Without a start there is no previous attempt to continue.
  if (before.phase !== 'running') return found;

  const previous = `${before.step ?? 'the start'}, attempt ${before.attempt}`;
  switch (signalOf(event)) {
    case 'step.updated': {
      const expected = step === before.step ? before.attempt + 1 : 1;
      return step === null || attempt === expected
        ? found
        : [...found, `step ${step}, attempt ${attempt}, does not continue ${previous}`];
    }
    case 'failed': {
      const isOtherStep = before.step !== null && step !== null && step !== before.step;
      if (!isOtherStep && attempt === before.attempt) return found;
      return [
        ...found,
        `failed at ${step ?? 'no step'}, attempt ${attempt}, but the attempt was at ${previous}`,
      ];
    }
    default:
      // A success has the attempt number of the accepted step.
      return attempt === before.attempt
        ? found
        : [...found, `succeeded with attempt ${attempt}, but the attempt was at ${previous}`];
  }
}

function isAfter(one: string | null | undefined, other: string): boolean {
  return one != null && Date.parse(one) > Date.parse(other);
}
