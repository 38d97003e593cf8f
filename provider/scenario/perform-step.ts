/** Maps each process of the scenario to the function that performs its steps. */
import type { Change } from '../change.ts';
import { expireCertificate } from '../companies/change-certificate.ts';
import { stepDayOver } from '../day-over/step-day-over.ts';
import { stepImport } from '../sync/company-import.ts';
import type { Draw } from './pace-and-odds.ts';
import type { Process } from './scenario-tables.ts';
import { stepAnttTicket, stepChargeSlip, stepViolationTicket } from './step-slips.ts';
import type { LoginOwner } from '../login/read-login.ts';
import { completeSneRequest } from '../sne/complete-sne-request.ts';
import type { SneStatus } from '../sne/sne.ts';
import { addDays, startOfDay } from '../brazilian-day.ts';
import { moveIndication } from '../indications/change-indication.ts';
import { indications } from '../indications/indication.ts';
import { pendingSigners, refuseDocument, signDocument, viewDocument } from '../indications/sign-document.ts';
import { trafficViolations } from '../traffic-violations/traffic-violation.ts';
import { nextIndicationMove } from './next-indication-move.ts';
import { scheduleStep } from './schedule-step.ts';
import { companies } from '../companies/company.ts';
import {
  disconnectLogin,
  enterLoginStep,
  failLogin,
  startLogin,
  succeedLogin,
  type LoginStep,
} from '../login/change-login.ts';
import { loginSteps, type AttemptStep } from '../login/drive-login.ts';

type Perform = (change: Change, subjectId: number, draw: Draw) => Promise<void>;

const performers: Readonly<Record<Process, Perform>> = {
  'company-login': (change, id, draw) => stepLogin(change, { kind: 'company', id }, draw),
  'user-login': (change, id, draw) => stepLogin(change, { kind: 'user', id }, draw),
  'company-session': (change, id) => stepSession(change, { kind: 'company', id }),
  'user-session': (change, id) => stepSession(change, { kind: 'user', id }),
  'company-sne': (change, id, draw) => stepSne(change, { kind: 'company', id }, draw),
  'user-sne': (change, id, draw) => stepSne(change, { kind: 'user', id }, draw),
  'company-certificate': (change, id) => expireCertificate(change, id),
  'company-import': stepImport,
  'charge-slip': stepChargeSlip,
  'antt-ticket': stepAnttTicket,
  'violation-ticket': stepViolationTicket,
  indication: stepIndication,
  'day-over': (change) => stepDayOver(change),
};

/** Performs a step of the scenario. @throws HttpError when it is no longer possible. */
export function performStep(change: Change, process: Process, subjectId: number, draw: Draw): Promise<void> {
  return performers[process](change, subjectId, draw);
}

/** Decides a pending request to the electronic notification system (SNE), if there is one. */
async function stepSne(change: Change, { kind, id }: LoginOwner, draw: Draw): Promise<void> {
  const registration = await change.transaction
    .selectFrom('sne_registrations')
    .select('status')
    .where('owner_kind', '=', kind)
    .where('owner_id', '=', id)
    .where('organization_id', '=', change.organization)
    .executeTakeFirst();
  const decision = sneDecision(registration?.status, draw);
  if (decision !== null) await completeSneRequest(change, kind, id, decision);
}

/** Null when no request is pending. */
function sneDecision(status: SneStatus | undefined, draw: Draw): SneStatus | null {
  if (status === 'canceling') return draw.happens('SNE refuses') ? 'active' : 'inactive';
  if (status !== 'pending') return null;
  if (draw.happens('SNE is unavailable')) return 'unavailable';
  return draw.happens('SNE refuses') ? 'inactive' : 'active';
}

/** Performs the next step of an indication. @throws HttpError 404 when it no longer exists. */
async function stepIndication(change: Change, id: number, draw: Draw): Promise<void> {
  const { transaction, organization, today } = change;
  const indication = await indications.row(transaction, organization, id);
  const violation = await trafficViolations.row(transaction, organization, indication.traffic_violation_id);
  const { indication_deadline: lastDay } = violation;
  const deadline = lastDay === null ? 'none' : today > lastDay ? 'over' : 'open';
  const next = nextIndicationMove({ ...indication, deadline }, draw);
  const waitForDeadline = async () => {
    if (lastDay !== null)
      await scheduleStep(change, 'indication', id, { at: startOfDay(addDays(lastDay, 1)) });
  };
  switch (next?.to) {
    case undefined:
      return;
    case 'move':
      await moveIndication(change, id, next.status, next.reason);
      return;
    case 'wait':
      return waitForDeadline();
    case 'refuse':
      await refuseDocument(change, id, await nextSigner(change, id), next.reason);
      return waitForDeadline();
    case 'sign': {
      const signer = await nextSigner(change, id);
      // Before signing: the last signature schedules another step.
      await scheduleStep(change, 'indication', id, 'driver answers');
      await viewDocument(change, id, signer);
      return signDocument(change, id, signer);
    }
  }
}

/** Returns the token of the next signer; an empty string when all have signed. */
async function nextSigner(change: Change, id: number): Promise<string> {
  const [signer = ''] = await pendingSigners(change, id);
  return signer;
}

/** Performs the next step of a login. @throws HttpError when it is no longer possible. */
async function stepLogin(change: Change, owner: LoginOwner, draw: Draw): Promise<void> {
  const login = await change.transaction
    .selectFrom('logins')
    .select(['type', 'status', 'step', 'attempt'])
    .where('owner_kind', '=', owner.kind)
    .where('owner_id', '=', owner.id)
    .where('organization_id', '=', change.organization)
    .executeTakeFirst();
  if (login === undefined) return;
  const move = nextLoginMove({ kind: owner.kind, ...login }, draw);
  switch (move.to) {
    case 'start':
      if (await hasCredentials(change, owner)) await startLogin(change, owner);
      return;
    case 'enter':
      return enterLoginStep(change, owner, move.step);
    case 'succeed':
      return succeedLogin(change, owner);
    case 'fail':
      return failLogin(change, owner, move.error);
  }
}

/** Ends a session. @throws HttpError when there is none. */
function stepSession(change: Change, owner: LoginOwner): Promise<void> {
  return disconnectLogin(change, owner);
}

/** Companies need a username or a valid certificate to sign in; users have their CPF. */
async function hasCredentials(change: Change, { kind, id }: LoginOwner): Promise<boolean> {
  if (kind === 'user') return true;
  const { login_username, certificate } = await companies.read(change.transaction, change.organization, id);
  return login_username !== null || certificate.status === 'valid';
}

/** The state that decides what happens next to a login. */
interface LoginState {
  readonly kind: 'company' | 'user';
  /** Kind of credentials: `certificate`, `username`, `password`. */
  readonly type: string;
  readonly status: string;
  readonly step: LoginStep | null;
  /** Attempts within the step. */
  readonly attempt: number;
}

type LoginMove =
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
function nextLoginMove({ kind, type, status, step, attempt }: LoginState, draw: Draw): LoginMove {
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
