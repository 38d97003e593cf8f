/** Chooses the next move of a login. */
import { loginSteps, type AttemptStep } from '../login/drive-login.ts';
import type { LoginStep } from '../login/change-login.ts';
import type { Draw } from './draw.ts';

/** The state that decides what happens next to a login. */
export interface LoginState {
  readonly kind: 'company' | 'user';
  /** Kind of credentials: `certificate`, `username`, `password`. */
  readonly type: string;
  readonly status: string;
  readonly step: LoginStep | null;
  /** Attempts within the step. */
  readonly attempt: number;
}

export type LoginMove =
  | { readonly to: 'start' }
  | { readonly to: 'enter'; readonly step: AttemptStep }
  | { readonly to: 'succeed' }
  | { readonly to: 'fail'; readonly error: string };

/** Maximum number of passwords per login (specification, Limits). */
const MAX_PASSWORDS = 3;
/** Maximum number of access codes per login (specification, Limits). */
const MAX_ACCESS_CODES = 5;

const fail = (error: string): LoginMove => ({ to: 'fail', error });
const enter = (step: AttemptStep): LoginMove => ({ to: 'enter', step });

/** Decides the next transition of a login. */
export function nextLoginMove({ kind, type, status, step, attempt }: LoginState, draw: Draw): LoginMove {
  if (status !== 'processing') return { to: 'start' };
  if (draw.happens('portal fails')) return fail('O portal não respondeu a tempo');
  switch (step) {
    case null:
      return enter('credentials');
    case 'credentials':
      return enter(loginSteps(kind, type)[1] ?? 'password');
    case 'username':
      return enter('password');
    case 'password':
      if (draw.happens('password is refused'))
        return attempt < MAX_PASSWORDS ? enter('password') : fail('Senha inválida');
      return draw.happens('access code is asked for') ? enter('otp') : { to: 'succeed' };
    case 'otp':
      if (draw.happens('access code is refused'))
        return attempt < MAX_ACCESS_CODES ? enter('otp') : fail('Código de acesso inválido');
      return { to: 'succeed' };
    case 'certificate':
      return draw.happens('certificate is refused') ? fail('Certificado recusado') : { to: 'succeed' };
    case 'completed':
      return { to: 'succeed' };
  }
}
