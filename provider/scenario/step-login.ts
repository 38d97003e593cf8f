/** The steps of a login and its session in the scenario. */
import type { Change } from '../change.ts';
import { companies } from '../companies/company.ts';
import {
  disconnectLogin,
  enterLoginStep,
  failLogin,
  startLogin,
  succeedLogin,
} from '../login/change-login.ts';
import type { LoginOwner } from '../login/read-login.ts';
import type { Draw } from './draw.ts';
import { nextLoginMove } from './next-login-move.ts';

/** Performs the next step of a login. @throws HttpError when it is no longer possible. */
export async function stepLogin(change: Change, owner: LoginOwner, draw: Draw): Promise<void> {
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
export function stepSession(change: Change, owner: LoginOwner): Promise<void> {
  return disconnectLogin(change, owner);
}

/** Companies need a username or a valid certificate to sign in; users have their CPF. */
async function hasCredentials(change: Change, { kind, id }: LoginOwner): Promise<boolean> {
  if (kind === 'user') return true;
  const { login_username, certificate } = await companies.read(change.transaction, change.organization, id);
  return login_username !== null || certificate.status === 'valid';
}
