import type { Change } from '../change.ts';
import { Refusal } from '../http/refusal.ts';
import type { LoginOwner } from './read-login.ts';
import {
  enterLoginStep,
  failLogin,
  readLogin,
  startLogin,
  succeedLogin,
  type LoginStep,
} from './change-login.ts';
import type { OwnerKind } from './login-tables.ts';

/**
 * Fails a login at a step, which it is led to on its usual way, each step told;
 * where no attempt runs, one is started.
 *
 * @throws Refusal 404, 409 when the step is not on its way, or behind it.
 */
export async function failLoginAt(
  change: Change,
  owner: LoginOwner,
  { step, error }: { readonly step: AttemptStep; readonly error: string },
): Promise<void> {
  const { type, status, step: reached } = await readLogin(change, owner);
  const way = loginSteps(owner.kind, type);
  if (!way.includes(step))
    throw new Refusal(409, `step: a login by ${type} does not pass ${step}, only ${way.join(', ')}`);
  if (status === 'processing' && way.slice(way.indexOf(step) + 1).some((later) => later === reached))
    throw new Refusal(409, `step: the attempt is at ${String(reached)} already; fail it there, or later`);
  await driveLoginTo(change, owner, step);
  await failLogin(change, owner, error);
}

/** Has a login succeed, on its usual way, without access code; where no attempt runs, one is started. @throws Refusal 404 */
export async function succeedLoginNow(change: Change, owner: LoginOwner): Promise<void> {
  const { type } = await readLogin(change, owner);
  await driveLoginTo(change, owner, type === 'certificate' ? 'certificate' : 'password');
  await succeedLogin(change, owner);
}

/** Up to a step, or beyond it if it is there. */
async function driveLoginTo(change: Change, owner: LoginOwner, step: AttemptStep): Promise<void> {
  if ((await readLogin(change, owner)).status !== 'processing') await startLogin(change, owner);
  const { type, step: reached } = await readLogin(change, owner);
  const way = loginSteps(owner.kind, type);
  const at = way.findIndex((each) => each === reached);
  for (const next of way.slice(at + 1, way.indexOf(step) + 1)) await enterLoginStep(change, owner, next);
}

/** A step that an attempt can be at; `completed` is the end of it. */
export type AttemptStep = Exclude<LoginStep, 'completed'>;

/**
 * The steps that a login passes, in their order; it may be over before the last:
 * not every account asks for an access code.
 *
 * @param type what it signs in with.
 */
export function loginSteps(kind: OwnerKind, type: string): readonly AttemptStep[] {
  if (type === 'certificate') return ['credentials', 'certificate'];
  return kind === 'company'
    ? ['credentials', 'username', 'password', 'otp']
    : ['credentials', 'password', 'otp'];
}
