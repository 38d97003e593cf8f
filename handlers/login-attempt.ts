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
  signalOf,
  type AttemptSignal,
  type LoginEffectChange,
  type LoginEvent,
  type LoginSignal,
  type LoginState,
} from './login-attempt/state.ts';
import { landing, table } from './login-attempt/table.ts';

/** What to do about an event whose kind ends like this. */
type Run<S extends LoginSignal> = (
  change: LoginEffectChange & { readonly event: EventOf<`*.login.${S}`> },
  context: HandlerContext,
) => unknown;

export interface LoginAttemptOptions extends PolicyOptions {
  /** `login-attempt`, unless there is to be more than one. */
  readonly name?: string;
  readonly onStarted?: Run<'started'>;
  /** A step was entered, or is repeated: `change.after.step`, `change.after.attempt`. */
  readonly onStep?: Run<'step.updated'>;
  readonly onSucceeded?: Run<'succeeded'>;
  /** `change.event.data.error` is the failure text. Companies only: the contract lacks `user.login.failed`. */
  readonly onFailed?: Run<'failed'>;
  readonly onConnected?: Run<'connected'>;
  readonly onDisconnected?: Run<'disconnected'>;
}

/**
 * The login attempts and the session of a company or user (specification,
 * States and transitions; Events, Login attempt payload fields).
 *
 * Each effect runs once for each event of its kind. The state follows what the
 * provider reports even where that is impossible; what is impossible about it
 * is recorded as anomalies.
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
      return { ...state, session: landing('connected') };
    case 'company.login.disconnected':
    case 'user.login.disconnected':
      return { ...state, session: landing('disconnected') };
    default: {
      const { attempt, step } = event.data;
      return { ...state, phase: landing(signalOf(event) as AttemptSignal), step, attempt };
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
    // `when` has seen to it that the event is of this kind.
    run: (change, context) => run(change as Parameters<Run<S>>[0], context),
  };
}
