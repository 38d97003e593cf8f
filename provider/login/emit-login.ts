import type { Selectable } from 'kysely';
import type { Change } from '../change.ts';
import { recordChange } from '../webhooks/record-change.ts';
import { readLoginOwner, type LoginOwner } from './read-login.ts';
import type { LoginTables } from './login-tables.ts';

type Login = Selectable<LoginTables['logins']>;

/** The last words of the event kinds that report an attempt, but for `failed`. */
type AttemptEvent = 'started' | 'step.updated' | 'succeeded';

/** Tells how an attempt goes on (specification, Login attempt payload fields). */
export async function emitAttempt(
  change: Change,
  owner: LoginOwner,
  event: AttemptEvent,
  login: Login,
): Promise<void> {
  const { tax_id, ...described } = await readLoginOwner(change, owner);
  const data = { ...described, ...state(change, login), attempt: login.attempt };
  if (owner.kind === 'company') await recordChange(change, `company.login.${event}`, { ...data, tax_id });
  else await recordChange(change, `user.login.${event}`, data, owner.id);
}

/**
 * Tells that an attempt failed. Of users nobody is told: what `user.login.failed`
 * carries is not shown.
 */
export async function emitFailure(
  change: Change,
  owner: LoginOwner,
  login: Login,
  error: string,
): Promise<void> {
  if (owner.kind === 'user') return;
  const data = await readLoginOwner(change, owner);
  await recordChange(change, 'company.login.failed', {
    ...data,
    ...state(change, login),
    attempt: login.attempt,
    error,
  });
}

/** Tells that a session began or ended. */
export async function emitSession(
  change: Change,
  owner: LoginOwner,
  event: 'connected' | 'disconnected',
  login: Login,
): Promise<void> {
  const { tax_id, ...described } = await readLoginOwner(change, owner);
  const { connected_at, disconnected_at } = login;
  const data = { ...described, ...state(change, login), connected_at, disconnected_at };
  if (owner.kind === 'company') await recordChange(change, `company.login.${event}`, { ...data, tax_id });
  else await recordChange(change, `user.login.${event}`, data, owner.id);
}

function state({ at }: Change, login: Login) {
  return {
    uid: login.uid,
    service: 'gov_portal' as const,
    connected: login.connected === 1,
    step: login.step,
    occurred_at: at,
  };
}
