import type { EffectChange, EventOf, MachineChange } from 'portaria';

/**
 * Companies and users. `user.login.failed` is named by the specification
 * without its payload, so no machine gets it: a failed attempt of a user ends
 * with its next start.
 */
export const kinds = ['company.login.*', 'user.login.*'] as const;

export type LoginEvent = EventOf<(typeof kinds)[number]>;

/** The last part of a kind: what happened. */
export type LoginSignal = 'started' | 'step.updated' | 'succeeded' | 'failed' | 'connected' | 'disconnected';

export type AttemptSignal = Exclude<LoginSignal, 'connected' | 'disconnected'>;

export interface LoginState {
  /** Of the latest attempt; `idle` before the first. */
  readonly phase: 'idle' | 'running' | 'succeeded' | 'failed';
  /** Where the attempt stands, or ended; null before its first step. */
  readonly step: LoginEvent['data']['step'];
  /** Tries within the step, from 1; 0 before the first attempt. */
  readonly attempt: number;
  /** Apart from attempts: a session outlives the attempt that opened it, and expires on its own. */
  readonly session: 'disconnected' | 'connected';
}

export type LoginChange = MachineChange<LoginState, LoginEvent>;
export type LoginEffectChange = EffectChange<LoginState, LoginEvent>;

export const initial: LoginState = { phase: 'idle', step: null, attempt: 0, session: 'disconnected' };

export function signalOf({ kind }: LoginEvent): LoginSignal {
  return kind.slice(kind.indexOf('.login.') + '.login.'.length) as LoginSignal;
}
