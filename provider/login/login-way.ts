import type { LoginStep } from './move-login.ts';
import type { OwnerKind } from './login-tables.ts';

/** A step that an attempt can be at; `completed` is the end of it. */
export type WayStep = Exclude<LoginStep, 'completed'>;

/**
 * The steps that a login passes, in their order; it may be over before the last:
 * not every account asks for an access code.
 *
 * @param type what it signs in with.
 */
export function loginWay(kind: OwnerKind, type: string): readonly WayStep[] {
  if (type === 'certificate') return ['credentials', 'certificate'];
  return kind === 'company'
    ? ['credentials', 'username', 'password', 'otp']
    : ['credentials', 'password', 'otp'];
}
