import { signalOf, type LoginChange, type LoginEvent, type LoginState } from './state.ts';
import { isMove } from './table.ts';

/** Tries allowed within a step (specification, Limits); always 1 for the other steps. */
const limits: Readonly<Record<string, number>> = { password: 3, otp: 5 };
const highestLimit = Math.max(...Object.values(limits));

/** How a phase reads in "<signal> ...". */
const circumstances = {
  idle: 'without a start',
  running: 'while an attempt was running',
  succeeded: 'after the attempt had succeeded',
  failed: 'after the attempt had failed',
  connected: 'while connected already',
  disconnected: 'while not connected',
} as const;

/** Everything about an event that the specification rules out (Events, Login attempt payload fields). */
export function loginAnomalies({ before, event }: LoginChange): readonly string[] {
  return [...outOfTurn(before, event), ...contradictions(event), ...outOfCount(before, event)];
}

function outOfTurn(before: LoginState, event: LoginEvent): readonly string[] {
  const signal = signalOf(event);
  const phase = signal === 'connected' || signal === 'disconnected' ? before.session : before.phase;
  if (isMove(phase, signal)) return [];
  // A user's attempt may have failed unseen: `user.login.failed` is not in the contract.
  if (event.kind === 'user.login.started' && phase === 'running') return [];
  return [`${signal} ${circumstances[phase]}`];
}

/** What an event says that it never says, whatever came before it. */
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
  const error = event.data['error'] ?? '';
  if (signal === 'failed' && error === '') found.push('failed without an error');
  if (signal !== 'failed' && error !== '') found.push(`${signal} with an error`);
  return [...found, ...sessionTimes(event)];
}

/** `connected` and `disconnected` carry the time that caused them, which is the later of the two. */
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

/** Tries beyond their limit, and those that do not follow on the try before. */
function outOfCount(before: LoginState, event: LoginEvent): readonly string[] {
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
  const limit = step === null || step === 'completed' ? highestLimit : (limits[step] ?? 1);
  const found =
    attempt < 1 || attempt > limit
      ? [`attempt ${attempt} of step ${step ?? 'none'}, which has ${limit}`]
      : [];
  // Without a start there is nothing to follow on.
  if (before.phase !== 'running') return found;

  const stood = `${before.step ?? 'the start'}, attempt ${before.attempt}`;
  switch (signalOf(event)) {
    case 'step.updated': {
      const expected = step === before.step ? before.attempt + 1 : 1;
      return step === null || attempt === expected
        ? found
        : [...found, `step ${step}, attempt ${attempt}, follows on ${stood}`];
    }
    case 'failed': {
      const elsewhere = before.step !== null && step !== null && step !== before.step;
      if (!elsewhere && attempt === before.attempt) return found;
      return [...found, `failed at ${step ?? 'no step'}, attempt ${attempt}, but stood at ${stood}`];
    }
    default:
      // The attempt of a success is that of the step that was accepted.
      return attempt === before.attempt
        ? found
        : [...found, `succeeded with attempt ${attempt}, but stood at ${stood}`];
  }
}

function isAfter(one: string | null | undefined, other: string): boolean {
  return one != null && Date.parse(one) > Date.parse(other);
}
