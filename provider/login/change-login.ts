/** Changes logins of companies and users. */
import type { Updateable } from 'kysely';
import type { z } from 'zod';
import type { loginStep } from '../../src/contract/record/login.ts';
import type { Change } from '../change.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { HttpError } from '../http/http-error.ts';
import { cancelStep, scheduleStep } from '../scenario/schedule-step.ts';
import { startFirstImport } from '../sync/company-import.ts';
import type { Login, OwnerKind } from './login.ts';
import { readLogin, type LoginOwner, readLoginOwner } from './read-login.ts';
import { recordChange } from '../webhooks/record-change.ts';

export type LoginStep = z.infer<typeof loginStep>;

/** The initial credentials of a login (specification, Resources, login blocks). */
const initialType = { company: 'username', user: 'password' } as const;

/** The stage of a login that has not entered a step yet. */
const FIRST_STEP = 'credentials' satisfies LoginStep;

/** Attempts per step; 1 where the specification gives no limit (Limits). */
const maxAttempts: Readonly<Partial<Record<LoginStep, number>>> = { password: 3, otp: 5 };

/** Adds the login of a new company or user: not connected, without an attempt. */
export async function addLogin(change: Change, kind: OwnerKind, ownerId: number): Promise<void> {
  await change.transaction
    .insertInto('logins')
    .values({
      organization_id: change.organization,
      owner_kind: kind,
      owner_id: ownerId,
      uid: `lg_${kind}_${String(ownerId)}`,
      type: initialType[kind],
      status: 'incomplete',
      connected: 0,
      connected_at: null,
      disconnected_at: null,
      step: FIRST_STEP,
      attempt: 1,
    })
    .execute();
}

/**
 * Starts a login attempt, after ending the session if there is one.
 *
 * @throws HttpError 404 without the owner, 409 while an attempt runs.
 */
export async function startLogin(change: Change, owner: LoginOwner): Promise<void> {
  const login = await readLogin(change, owner);
  if (login.status === 'processing')
    throw new HttpError(409, 'A login attempt is running: fail it or let it succeed first');
  if (login.connected === 1) await disconnectLogin(change, owner);
  const started = await update(change, login, { status: 'processing', step: null, attempt: 1 });
  await emitAttempt(change, owner, 'started', started);
  await scheduleStep(change, `${owner.kind}-login`, owner.id, 'login goes on');
}

/**
 * Moves the attempt to a step, or retries the current step after a rejected
 * password or access code.
 *
 * @throws HttpError 404 without the owner, 409 when no attempt runs, 422 beyond the maximum of attempts.
 */
export async function enterLoginStep(
  change: Change,
  owner: LoginOwner,
  step: Exclude<LoginStep, 'completed'>,
): Promise<void> {
  const login = await readRunningLogin(change, owner);
  const attempt = login.step === step ? login.attempt + 1 : 1;
  const max = maxAttempts[step] ?? 1;
  if (attempt > max) throw new HttpError(422, `Step ${step} allows at most ${String(max)} attempts`);
  await emitAttempt(change, owner, 'step.updated', await update(change, login, { step, attempt }));
  await scheduleStep(change, `${owner.kind}-login`, owner.id, 'login goes on');
}

/** Completes the attempt and starts a session. @throws HttpError 404 without the owner, 409 when no attempt runs. */
export async function succeedLogin(change: Change, owner: LoginOwner): Promise<void> {
  const login = await readRunningLogin(change, owner);
  const connected = await update(change, login, {
    status: 'success',
    step: 'completed',
    connected: 1,
    connected_at: change.at,
  });
  await emitAttempt(change, owner, 'succeeded', connected);
  await emitSession(change, owner, 'connected', connected);
  // An attempt that an operator completes has a step left, which would start the next attempt.
  await cancelStep(change, `${owner.kind}-login`, owner.id);
  await scheduleStep(change, `${owner.kind}-session`, owner.id, 'session lasts');
  if (owner.kind === 'company') await startFirstImport(change, owner.id);
}

/**
 * Fails the attempt at its current step; before the first one, at the stage that every login begins with
 * (specification, Shared enumerations: the step stays where the error happened).
 *
 * @throws HttpError 404 without the owner, 409 when no attempt runs.
 */
export async function failLogin(change: Change, owner: LoginOwner, error: string): Promise<void> {
  const login = await readRunningLogin(change, owner);
  const failed = await update(change, login, { status: 'fail', step: login.step ?? FIRST_STEP });
  await emitFailure(change, owner, failed, error);
  await scheduleStep(change, `${owner.kind}-login`, owner.id, 'login is tried again');
}

/**
 * Ends the session, for example because it expired. The login keeps its status `success`.
 *
 * @throws HttpError 404 without the owner, 409 without a session.
 */
export async function disconnectLogin(change: Change, owner: LoginOwner): Promise<void> {
  const login = await readLogin(change, owner);
  if (login.connected === 0)
    throw new HttpError(409, 'There is no session: one begins when a login succeeds');
  const disconnected = await update(change, login, { connected: 0, disconnected_at: change.at });
  await emitSession(change, owner, 'disconnected', disconnected);
  await cancelStep(change, `${owner.kind}-session`, owner.id);
  await scheduleStep(change, `${owner.kind}-login`, owner.id, 'session is renewed');
}

async function readRunningLogin(change: Change, owner: LoginOwner): Promise<Login> {
  const login = await readLogin(change, owner);
  if (login.status !== 'processing') throw new HttpError(409, 'No login attempt is running: start one first');
  return login;
}

function update(
  { transaction }: Change,
  { id }: Login,
  values: Updateable<ProviderTables['logins']>,
): Promise<Login> {
  return transaction
    .updateTable('logins')
    .set(values)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Emits the webhook of a step of an attempt (specification, Login attempt payload fields). */
async function emitAttempt(
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
async function emitFailure(change: Change, owner: LoginOwner, login: Login, error: string): Promise<void> {
  if (owner.kind === 'user') return;
  await recordChange(change, 'company.login.failed', {
    ...(await readLoginOwner(change, owner)),
    ...loginState(change, login),
    attempt: login.attempt,
    error,
  });
}

/** Emits the webhook of a session that began or ended. */
async function emitSession(
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
