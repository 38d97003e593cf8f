/** `portaria/handlers/login-attempt`: a machine that follows the logins of companies and users. */
import {
  defineMachine,
  type EffectDefinition,
  type EventOf,
  type HandlerContext,
  type Machine,
  type PolicyOptions,
} from 'portaria';
import { loginAnomalies } from './login-attempt/anomalies.ts';
import {
  initial,
  kinds,
  phaseAfter,
  signalOf,
  table,
  type AttemptSignal,
  type LoginEffectChange,
  type LoginEvent,
  type LoginSignal,
  type LoginState,
} from './login-attempt/state.ts';

/** Called for events whose kind ends in `S`. */
type Run<S extends LoginSignal> = (
  change: LoginEffectChange & { readonly event: EventOf<`*.login.${S}`> },
  context: HandlerContext,
) => unknown;

/** Settings of the machine. Without callbacks it only keeps the state and its anomalies. */
export interface LoginAttemptOptions extends PolicyOptions {
  /** Name of the machine (default `login-attempt`). Two machines need two names. */
  readonly name?: string;
  readonly onStarted?: Run<'started'>;
  /** A step was entered or repeated: `change.after.step`, `change.after.attempt`. */
  readonly onStep?: Run<'step.updated'>;
  readonly onSucceeded?: Run<'succeeded'>;
  /** `change.event.data.error` describes the failure. Companies only: the contract lacks `user.login.failed`. */
  readonly onFailed?: Run<'failed'>;
  readonly onConnected?: Run<'connected'>;
  readonly onDisconnected?: Run<'disconnected'>;
}

/**
 * A machine for the login attempts and the session of a company or user
 * (specification, States and transitions; Events, Login attempt payload fields).
 * An effect runs once for each event of its kind:
 *
 * ```ts
 * export default loginAttempt({
 *   onFailed: ({ event }) => alertSupport(event.data.id, event.data.error),
 * });
 * ```
 *
 * The state follows the provider's reports, even impossible ones. What is
 * impossible about a report is recorded as an anomaly.
 */
export function loginAttempt(options: LoginAttemptOptions = {}): Machine {
  const {
    name = 'login-attempt',
    onStarted,
    onStep,
    onSucceeded,
    onFailed,
    onConnected,
    onDisconnected,
    ...policies
  } = options;
  return defineMachine({
    ...policies,
    name,
    on: kinds,
    initial,
    evolve,
    anomalies: loginAnomalies,
    table,
    effects: {
      onStarted: effect('started', onStarted),
      onStep: effect('step.updated', onStep),
      onSucceeded: effect('succeeded', onSucceeded),
      onFailed: effect('failed', onFailed),
      onConnected: effect('connected', onConnected),
      onDisconnected: effect('disconnected', onDisconnected),
    },
  });
}

export default loginAttempt();

function evolve(state: LoginState, event: LoginEvent): LoginState {
  switch (event.kind) {
    case 'company.login.connected':
    case 'user.login.connected':
      return { ...state, session: phaseAfter('connected') };
    case 'company.login.disconnected':
    case 'user.login.disconnected':
      return { ...state, session: phaseAfter('disconnected') };
    default: {
      const { attempt, step } = event.data;
      return { ...state, phase: phaseAfter(signalOf(event) as AttemptSignal), step, attempt };
    }
  }
}

function effect<S extends LoginSignal>(
  signal: S,
  run: Run<S> | undefined,
): EffectDefinition<LoginState, LoginEvent> | undefined {
  if (run === undefined) return undefined;
  return {
    when: ({ event }) => signalOf(event) === signal,
    // `when` has checked the event's kind.
    run: (change, context) => run(change as Parameters<Run<S>>[0], context),
  };
}
