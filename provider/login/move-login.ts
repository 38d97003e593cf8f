import type { Selectable, Updateable } from 'kysely';
import type { z } from 'zod';
import type { loginStep } from '../../src/contract/record/login-sets.ts';
import type { Change } from '../change.ts';
import { Refusal } from '../http/refusal.ts';
import { scheduleStep } from '../scenario/schedule-step.ts';
import { startFirstImport } from '../sync/company-import.ts';
import { describeOwner, type LoginOwner } from './login-owner.ts';
import type { LoginTables } from './login-tables.ts';
import { tellAttempt, tellFailure, tellSession } from './tell-login.ts';

type Login = Selectable<LoginTables['logins']>;
export type LoginStep = z.infer<typeof loginStep>;

/** How often a step may be tried; once where nothing is said (specification, Limits). */
const mostAttempts: Readonly<Partial<Record<LoginStep, number>>> = { password: 3, otp: 5 };

/** A login attempt begins; a session that there was is over. @throws Refusal 404, 409 while one runs. */
export async function startLogin(change: Change, owner: LoginOwner): Promise<void> {
  const login = await loginOf(change, owner);
  if (login.status === 'processing')
    throw new Refusal(409, 'A login attempt runs already: fail it, or have it succeed, first');
  if (login.connected === 1) await disconnectLogin(change, owner);
  const started = await update(change, login, { status: 'processing', step: null, attempt: 1 });
  await tellAttempt(change, owner, 'started', started);
  await scheduleStep(change, `${owner.kind}-login`, owner.id, 'login goes on');
}

/**
 * The attempt enters a step, or the one it is in once more, because a password
 * or an access code was refused.
 *
 * @throws Refusal 404, 409 when no attempt runs, 422 when the step was tried as often as it may be.
 */
export async function enterLoginStep(
  change: Change,
  owner: LoginOwner,
  step: Exclude<LoginStep, 'completed'>,
): Promise<void> {
  const login = await runningLogin(change, owner);
  const attempt = login.step === step ? login.attempt + 1 : 1;
  if (attempt > (mostAttempts[step] ?? 1))
    throw new Refusal(422, `Step ${step} cannot be tried ${String(attempt)} times`);
  await tellAttempt(change, owner, 'step.updated', await update(change, login, { step, attempt }));
  await scheduleStep(change, `${owner.kind}-login`, owner.id, 'login goes on');
}

/** The attempt ends well, and a session begins. @throws Refusal 404, 409 when no attempt runs. */
export async function succeedLogin(change: Change, owner: LoginOwner): Promise<void> {
  const login = await runningLogin(change, owner);
  const connected = await update(change, login, {
    status: 'success',
    step: 'completed',
    connected: 1,
    connected_at: change.at,
  });
  await tellAttempt(change, owner, 'succeeded', connected);
  await tellSession(change, owner, 'connected', connected);
  await scheduleStep(change, `${owner.kind}-session`, owner.id, 'session lasts');
  if (owner.kind === 'company') await startFirstImport(change, owner.id);
}

/** The attempt fails where it is. @throws Refusal 404, 409 when no attempt runs. */
export async function failLogin(change: Change, owner: LoginOwner, error: string): Promise<void> {
  const login = await runningLogin(change, owner);
  await tellFailure(change, owner, await update(change, login, { status: 'fail' }), error);
  await scheduleStep(change, `${owner.kind}-login`, owner.id, 'login is tried again');
}

/** The session ends, for example because it expired; the login stays a successful one. @throws Refusal 404, 409 without session. */
export async function disconnectLogin(change: Change, owner: LoginOwner): Promise<void> {
  const login = await loginOf(change, owner);
  if (login.connected === 0) throw new Refusal(409, 'There is no session: one begins when a login succeeds');
  const disconnected = await update(change, login, { connected: 0, disconnected_at: change.at });
  await tellSession(change, owner, 'disconnected', disconnected);
  await scheduleStep(change, `${owner.kind}-login`, owner.id, 'session is renewed');
}

async function runningLogin(change: Change, owner: LoginOwner): Promise<Login> {
  const login = await loginOf(change, owner);
  if (login.status !== 'processing') throw new Refusal(409, 'No login attempt runs: start one first');
  return login;
}

/** @throws Refusal 404 without its owner. */
export async function loginOf(change: Change, owner: LoginOwner): Promise<Login> {
  await describeOwner(change, owner);
  return change.transaction
    .selectFrom('logins')
    .selectAll()
    .where('owner_kind', '=', owner.kind)
    .where('owner_id', '=', owner.id)
    .executeTakeFirstOrThrow();
}

function update(
  { transaction }: Change,
  { id }: Login,
  values: Updateable<LoginTables['logins']>,
): Promise<Login> {
  return transaction
    .updateTable('logins')
    .set(values)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
