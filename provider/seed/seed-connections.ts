/** Seeds logins and SNE registrations. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/kernel/time/durations.ts';
import type { Change } from '../change.ts';
import { changeCompany } from '../companies/change-company.ts';
import {
  disconnectLogin,
  enterLoginStep,
  failLogin,
  startLogin,
  succeedLogin,
} from '../login/change-login.ts';
import type { AttemptStep } from '../login/drive-login.ts';
import type { LoginOwner } from '../login/read-login.ts';
import { skipOverdueSteps } from '../scenario/schedule-step.ts';
import { cancelSne, signUpForSne } from '../sne/change-sne.ts';
import { completeSneRequest } from '../sne/complete-sne-request.ts';
import { cycle } from './pick.ts';
import type { At } from './seeding.ts';

/** The history of a login attempt: its steps and how it ends. */
export interface LoginHistory {
  readonly steps: readonly AttemptStep[];
  /** `running` leaves the attempt in its last step. */
  readonly end: 'connected' | 'disconnected' | 'failed' | 'running';
  readonly error?: string;
}

const passwordSteps = {
  company: ['credentials', 'username', 'password'],
  user: ['credentials', 'password'],
} as const;

/** Returns the last attempt of the company or user with this number (from 0), or null for none. */
export function loginHistory(
  kind: LoginOwner['kind'],
  number: number,
  hasCertificate: boolean,
): LoginHistory | null {
  const steps: readonly AttemptStep[] = hasCertificate ? ['credentials', 'certificate'] : passwordSteps[kind];
  return cycle<LoginHistory | null>(
    [
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
    ],
    number,
  );
}

const SESSION_MS = 4 * HOUR_MS;

/** Age of the last attempt by its end. The scenario's next step is still due after the end of the history. */
export const attemptAge = {
  connected: 40 * MINUTE_MS,
  disconnected: SESSION_MS + 45 * SECOND_MS,
  failed: 20 * MINUTE_MS,
  running: 20 * SECOND_MS,
};

const STEP_MS = 3 * SECOND_MS;

/** Seeds a login attempt. @param start of the attempt, milliseconds since 1970. */
export async function seedLogin(
  at: At,
  owner: LoginOwner,
  { steps, end, error }: LoginHistory,
  start: number,
): Promise<void> {
  let time = start;
  await startLogin(at(time), owner);
  for (const step of steps) await enterLoginStep(at((time += STEP_MS)), owner, step);
  time += STEP_MS;
  if (end === 'failed') await failLogin(at(time), owner, error ?? 'O portal não respondeu a tempo');
  if (end === 'connected' || end === 'disconnected') await succeedLogin(at(time), owner);
  // The step that was scheduled while the attempt ran would start another attempt.
  if (end === 'connected') await skipOverdueSteps(at(time + MINUTE_MS), [`${owner.kind}-login`], owner.id);
  if (end === 'disconnected') await disconnectLogin(at(time + SESSION_MS), owner);
}

/** The results of SNE registrations; `unknown` is one without a sign-up. */
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

/** Returns the result of the SNE registration of the company or user with this number (from 0). */
export function sneHistory(number: number): SneHistory {
  return cycle(sneHistories, number);
}

/**
 * Seeds the SNE registration of a company or user with a successful login.
 *
 * @param since the earliest time of the sign-up. @param now the end of the history. Both in milliseconds since 1970.
 */
export async function seedSne(
  at: At,
  owner: LoginOwner,
  history: SneHistory,
  { since, now }: { readonly since: number; readonly now: number },
): Promise<void> {
  if (history === 'unknown') return;
  const signedUp = history === 'pending' ? now - 5 * SECOND_MS : since;
  await request(at, owner, signedUp, signUpForSne);
  if (history === 'pending') return;
  const isActive = history === 'active' || history === 'canceling' || history === 'canceled';
  await completeSneRequest(at(signedUp + MINUTE_MS), owner.kind, owner.id, isActive ? 'active' : history);
  if (history !== 'canceling' && history !== 'canceled') return;
  const canceled =
    history === 'canceling' ? now - 5 * SECOND_MS : Math.min(now - DAY_MS / 4, since + 20 * DAY_MS);
  await request(at, owner, canceled, cancelSne);
  if (history === 'canceled')
    await completeSneRequest(at(canceled + MINUTE_MS), owner.kind, owner.id, 'inactive');
}

async function request(
  at: At,
  { kind, id }: LoginOwner,
  time: number,
  send: (change: Change, kind: LoginOwner['kind'], id: number) => Promise<unknown>,
): Promise<void> {
  await send(at(time), kind, id);
  if (kind === 'company') await changeCompany(at(time), id, {}, 'company.sne.updated');
}
