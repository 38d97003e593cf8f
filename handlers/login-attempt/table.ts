import { nextPhase, type TransitionTable } from 'portaria';
import type { AttemptSignal, LoginSignal, LoginState } from './state.ts';

/**
 * The moves of an attempt, and apart from them those of the session
 * (specification, States and transitions).
 */
export const table = {
  initial: 'idle',
  transitions: [
    { from: 'idle', on: 'started', to: 'running' },
    { from: 'running', on: 'step.updated', to: 'running' },
    { from: 'running', on: 'succeeded', to: 'succeeded' },
    { from: 'running', on: 'failed', to: 'failed' },
    { from: 'succeeded', on: 'started', to: 'running' },
    { from: 'failed', on: 'started', to: 'running' },
    { from: 'disconnected', on: 'connected', to: 'connected' },
    { from: 'connected', on: 'disconnected', to: 'disconnected' },
  ],
} as const satisfies TransitionTable;

type Phase = LoginState['phase'] | LoginState['session'];

/** Whether the table has the move. */
export function isMove(phase: Phase, signal: LoginSignal): boolean {
  return nextPhase(table, phase, signal) !== undefined;
}

/**
 * Where a signal leads. In this table each leads to one phase only, so that is
 * where it leads also from a phase that does not know it: what the provider
 * reports has happened, and the report before it may have been lost.
 */
export function landing(signal: 'connected' | 'disconnected'): LoginState['session'];
export function landing(signal: AttemptSignal): LoginState['phase'];
export function landing(signal: LoginSignal): Phase | undefined {
  return table.transitions.find(({ on }) => on === signal)?.to;
}
