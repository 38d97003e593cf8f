/** Tokens of forms. */
import type { Signer } from '../kernel/signed-token.ts';
import { AHEAD_MS } from '../kernel/time/following-clock.ts';

/** Whom a form is rendered for. */
export interface FormVisitor {
  /** Binds the tokens of forms to this session. */
  readonly session: string;
}

/** Proves that this server rendered a form, and for whom. */
export interface FormTokens {
  /** Returns the token that every form of this visitor carries. */
  form(visitor: FormVisitor, now: number): string;
  /** Whether a form with this token was rendered for this visitor, and not too long ago. */
  isForm(token: string, visitor: FormVisitor, now: number): boolean;
}

/** Milliseconds for which a rendered form can be sent. */
const FORM_MS = 12 * 3_600_000;

export function createFormTokens(signer: Signer): FormTokens {
  return {
    form: ({ session }, now) => signer.sign(`form ${session}`, now),
    isForm(token, { session }, now) {
      const renderedAt = signer.open(`form ${session}`, token);
      return typeof renderedAt === 'number' && renderedAt <= now + AHEAD_MS && now - renderedAt < FORM_MS;
    },
  };
}
