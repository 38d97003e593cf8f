/** The state of a login attempt, and how events change it. */
import {
  nextPhase,
  type EffectChange,
  type EventOf,
  type MachineChange,
  type TransitionTable,
} from 'portaria';

/**
 * The logins of companies and users. The specification names `user.login.failed`
 * without its payload, so machines do not receive it: a user's failed attempt
 * ends with the next start.
 */
export const kinds = ['company.login.*', 'user.login.*'] as const;

export type LoginEvent = EventOf<(typeof kinds)[number]>;

/** The part of a kind after `login.`. */
export type LoginSignal = 'started' | 'step.updated' | 'succeeded' | 'failed' | 'connected' | 'disconnected';

export type AttemptSignal = Exclude<LoginSignal, 'connected' | 'disconnected'>;

/** The latest login attempt of a company or user, and its session. */
export interface LoginState {
  /** The phase of the latest attempt; `unknown` before the first event of one. */
  readonly phase: 'unknown' | 'running' | 'succeeded' | 'failed';
  /** The current or last step of the attempt; null before its first step. */
  readonly step: LoginEvent['data']['step'];
  /** The number of the try within the step, from 1; 0 before the first attempt. */
  readonly attempt: number;
  /**
   * Independent of attempts: a session outlives the attempt that opened it, and expires by itself. `unknown`
   * until the first event tells: the session may be older than the receiver.
   */
  readonly session: 'unknown' | 'disconnected' | 'connected';
}

export type LoginChange = MachineChange<LoginState, LoginEvent>;
export type LoginEffectChange = EffectChange<LoginState, LoginEvent>;

export const initial: LoginState = { phase: 'unknown', step: null, attempt: 0, session: 'unknown' };

export function signalOf({ kind }: LoginEvent): LoginSignal {
  return kind.slice(kind.indexOf('.login.') + '.login.'.length) as LoginSignal;
}

/**
 * The moves of an attempt, followed by those of a session (specification, States and transitions). From
 * `unknown`, any event is ordinary: what happened before the first one was never received.
 */
export const table = {
  initial: 'unknown',
  transitions: [
    { from: 'unknown', on: 'started', to: 'running' },
    { from: 'unknown', on: 'step.updated', to: 'running' },
    { from: 'unknown', on: 'succeeded', to: 'succeeded' },
    { from: 'unknown', on: 'failed', to: 'failed' },
    { from: 'running', on: 'step.updated', to: 'running' },
    { from: 'running', on: 'succeeded', to: 'succeeded' },
    { from: 'running', on: 'failed', to: 'failed' },
    { from: 'succeeded', on: 'started', to: 'running' },
    { from: 'failed', on: 'started', to: 'running' },
    { from: 'unknown', on: 'connected', to: 'connected' },
    { from: 'unknown', on: 'disconnected', to: 'disconnected' },
    { from: 'disconnected', on: 'connected', to: 'connected' },
    { from: 'connected', on: 'disconnected', to: 'disconnected' },
  ],
} as const satisfies TransitionTable;

type Phase = LoginState['phase'] | LoginState['session'];

/** Reports whether the table has a move on `signal` from `phase`. */
export function isMove(phase: Phase, signal: LoginSignal): boolean {
  return nextPhase(table, phase, signal) !== undefined;
}

/**
 * Returns the phase that a signal leads to. Each signal of this table leads to
 * one phase only, so it also applies to a phase without that move: the provider's
 * report is true, and an earlier report may be missing.
 */
export function phaseAfter(signal: 'connected' | 'disconnected'): LoginState['session'];
export function phaseAfter(signal: AttemptSignal): LoginState['phase'];
export function phaseAfter(signal: LoginSignal): Phase | undefined {
  return table.transitions.find(({ on }) => on === signal)?.to;
}
