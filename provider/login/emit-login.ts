/** Emits the webhooks of logins. */
import type { Change } from '../change.ts';
import { recordChange } from '../webhooks/record-change.ts';
import type { Login } from './login.ts';
import { readLoginOwner, type LoginOwner } from './read-login.ts';

/** Emits the webhook of a step of an attempt (specification, Login attempt payload fields). */
export async function emitAttempt(
  change: Change,
  owner: LoginOwner,
  event: 'started' | 'step.updated' | 'succeeded',
  login: Login,
): Promise<void> {
  // Only the webhooks of companies carry the tax id.
  const { tax_id, ...fields } = await readLoginOwner(change, owner);
  const data = { ...fields, ...loginState(change, login), attempt: login.attempt };
  if (owner.kind === 'company') await recordChange(change, `company.login.${event}`, { ...data, tax_id });
  else await recordChange(change, `user.login.${event}`, data, owner.id);
}

/** Emits the webhook of a failed attempt. Users have none: the specification gives `user.login.failed` no payload. */
export async function emitFailure(
  change: Change,
  owner: LoginOwner,
  login: Login,
  error: string,
): Promise<void> {
  if (owner.kind === 'user') return;
  await recordChange(change, 'company.login.failed', {
    ...(await readLoginOwner(change, owner)),
    ...loginState(change, login),
    attempt: login.attempt,
    error,
  });
}

/** Emits the webhook of a session that began or ended. */
export async function emitSession(
  change: Change,
  owner: LoginOwner,
  event: 'connected' | 'disconnected',
  login: Login,
): Promise<void> {
  const { tax_id, ...fields } = await readLoginOwner(change, owner);
  const { connected_at, disconnected_at } = login;
  const data = { ...fields, ...loginState(change, login), connected_at, disconnected_at };
  if (owner.kind === 'company') await recordChange(change, `company.login.${event}`, { ...data, tax_id });
  else await recordChange(change, `user.login.${event}`, data, owner.id);
}

function loginState({ at }: Change, login: Login) {
  return {
    uid: login.uid,
    service: 'gov_portal' as const,
    connected: login.connected === 1,
    step: login.step,
    occurred_at: at,
  };
}
