/** The steps of a running login attempt, and its end. */
import type { Change } from '../change.ts';
import { HttpError } from '../http/http-error.ts';
import { enterLoginStep, failLogin, startLogin, succeedLogin, type LoginStep } from './change-login.ts';
import type { OwnerKind } from './login.ts';
import { readLogin, type LoginOwner } from './read-login.ts';

/** A step of a running attempt. */
export type AttemptStep = Exclude<LoginStep, 'completed'>;

/**
 * Returns the steps of a login attempt in order. The last one, the access code,
 * is optional: not every account requires it.
 *
 * @param type the credentials of the login.
 */
export function loginSteps(kind: OwnerKind, type: string): readonly AttemptStep[] {
  if (type === 'certificate') return ['credentials', 'certificate'];
  return kind === 'company'
    ? ['credentials', 'username', 'password', 'otp']
    : ['credentials', 'password', 'otp'];
}

/**
 * Fails a login at a given step. Starts an attempt if none runs, and passes the
 * steps before it with their webhooks.
 *
 * @throws HttpError 404 without the owner, 409 when the login has no such step or has passed it.
 */
export async function failLoginAt(
  change: Change,
  owner: LoginOwner,
  { step, error }: { readonly step: AttemptStep; readonly error: string },
): Promise<void> {
  const { type, status, step: reached } = await readLogin(change, owner);
  const steps = loginSteps(owner.kind, type);
  if (!steps.includes(step))
    throw new HttpError(409, `step: a login by ${type} has no step ${step}, only ${steps.join(', ')}`);
  if (status === 'processing' && steps.slice(steps.indexOf(step) + 1).some((later) => later === reached))
    throw new HttpError(409, `step: the attempt is at ${String(reached)} already; fail it there or later`);
  await driveLoginTo(change, owner, step);
  await failLogin(change, owner, error);
}

/**
 * Completes a login without an access code. Starts an attempt if none runs.
 *
 * @throws HttpError 404 without the owner.
 */
export async function succeedLoginNow(change: Change, owner: LoginOwner): Promise<void> {
  const { type } = await readLogin(change, owner);
  await driveLoginTo(change, owner, type === 'certificate' ? 'certificate' : 'password');
  await succeedLogin(change, owner);
}

/** Passes the steps up to the given one. Does nothing if the attempt is already there or beyond. */
async function driveLoginTo(change: Change, owner: LoginOwner, step: AttemptStep): Promise<void> {
  if ((await readLogin(change, owner)).status !== 'processing') await startLogin(change, owner);
  const { type, step: reached } = await readLogin(change, owner);
  const steps = loginSteps(owner.kind, type);
  const at = steps.findIndex((each) => each === reached);
  for (const next of steps.slice(at + 1, steps.indexOf(step) + 1)) await enterLoginStep(change, owner, next);
}
