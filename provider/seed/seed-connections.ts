import {
  disconnectLogin,
  enterLoginStep,
  failLogin,
  startLogin,
  succeedLogin,
} from '../login/change-login.ts';
import type { LoginOwner } from '../login/read-login.ts';
import { skipOverdueSteps } from '../scenario/schedule-step.ts';
import { HOUR, MINUTE, SECOND, type At, DAY } from './seeding.ts';
import type { Change } from '../change.ts';
import { changeCompany } from '../companies/change-company.ts';
import { completeSneRequest } from '../sne/complete-sne-request.ts';
import { cancelSne, signUpForSne } from '../sne/change-sne.ts';

type Step = 'credentials' | 'username' | 'password' | 'certificate' | 'otp';

/** How an attempt goes: its steps, and where it stands or how it ended. */
export interface LoginHistory {
  readonly steps: readonly Step[];
  /** `running` leaves it in its last step. */
  readonly end: 'connected' | 'disconnected' | 'failed' | 'running';
  readonly error?: string;
}

const byPassword = {
  company: ['credentials', 'username', 'password'],
  user: ['credentials', 'password'],
} as const;

/** How the last attempt of a company or user has gone, in turn; null where none was made. */
export function loginHistory(
  kind: LoginOwner['kind'],
  number: number,
  hasCertificate: boolean,
): LoginHistory | null {
  const steps: readonly Step[] = hasCertificate ? ['credentials', 'certificate'] : byPassword[kind];
  const loginHistories: readonly (LoginHistory | null)[] = [
    { steps, end: 'connected' },
    { steps, end: 'disconnected' },
    { steps: hasCertificate ? steps : [...steps, 'otp'], end: 'connected' },
    { steps, end: 'failed', error: hasCertificate ? 'Certificado recusado' : 'Senha inválida' },
    { steps: hasCertificate ? steps : [...steps, 'password', 'otp'], end: 'connected' },
    hasCertificate
      ? { steps, end: 'running' }
      : { steps: [...steps, 'otp', 'otp'], end: 'failed', error: 'Código de acesso inválido' },
    { steps, end: 'connected' },
    { steps: hasCertificate ? steps.slice(0, 1) : [...steps, 'otp'], end: 'running' },
    null,
  ];
  return loginHistories[number % loginHistories.length] ?? null;
}

const SESSION_LASTS = 4 * HOUR;

/** How long before the end of the past an attempt began that has gone so: what follows is still to come. */
export const attemptedAgo = {
  connected: 40 * MINUTE,
  disconnected: SESSION_LASTS + 45 * SECOND,
  failed: 20 * MINUTE,
  running: 20 * SECOND,
};

const STEP_TAKES = 3 * SECOND;

/** An attempt to sign in to the portal, its steps seconds apart. @param start of the attempt. */
export async function seedLogin(
  at: At,
  owner: LoginOwner,
  { steps, end, error }: LoginHistory,
  start: number,
): Promise<void> {
  let moment = start;
  await startLogin(at(moment), owner);
  for (const step of steps) await enterLoginStep(at((moment += STEP_TAKES)), owner, step);
  moment += STEP_TAKES;
  if (end === 'failed') await failLogin(at(moment), owner, error ?? 'O portal não respondeu a tempo');
  if (end === 'connected' || end === 'disconnected') await succeedLogin(at(moment), owner);
  // Otherwise the next thing to happen would be another attempt.
  if (end === 'connected') await skipOverdueSteps(at(moment + MINUTE), [`${owner.kind}-login`], owner.id);
  if (end === 'disconnected') await disconnectLogin(at(moment + SESSION_LASTS), owner);
}

/** Where a registration with the SNE stands, in turn; `unknown` where none was asked for. */
const sneHistories = [
  'active',
  'pending',
  'active',
  'inactive',
  'canceling',
  'active',
  'unavailable',
  'canceled',
  'active',
  'unknown',
] as const;
export type SneHistory = (typeof sneHistories)[number];

export function sneHistory(number: number): SneHistory {
  return sneHistories[number % sneHistories.length] ?? 'unknown';
}

/**
 * The registration of somebody who has signed in to the portal before.
 *
 * @param since the earliest moment for it. @param now the moment that it has come to.
 */
export async function seedSne(
  at: At,
  owner: LoginOwner,
  fate: SneHistory,
  { since, now }: { readonly since: number; readonly now: number },
): Promise<void> {
  if (fate === 'unknown') return;
  const asked = fate === 'pending' ? now - 5 * SECOND : since;
  await request(at, owner, asked, signUpForSne);
  if (fate === 'pending') return;
  const isActive = fate === 'active' || fate === 'canceling' || fate === 'canceled';
  await completeSneRequest(at(asked + MINUTE), owner.kind, owner.id, isActive ? 'active' : fate);
  if (fate !== 'canceling' && fate !== 'canceled') return;
  const ended = fate === 'canceling' ? now - 5 * SECOND : Math.min(now - DAY / 4, since + 20 * DAY);
  await request(at, owner, ended, cancelSne);
  if (fate === 'canceled') await completeSneRequest(at(ended + MINUTE), owner.kind, owner.id, 'inactive');
}

async function request(
  at: At,
  { kind, id }: LoginOwner,
  moment: number,
  ask: (change: Change, kind: LoginOwner['kind'], id: number) => Promise<unknown>,
): Promise<void> {
  await ask(at(moment), kind, id);
  if (kind === 'company') await changeCompany(at(moment), id, {}, 'company.sne.updated');
}
