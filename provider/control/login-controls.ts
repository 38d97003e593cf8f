/** Controls of logins and of the SNE. */
import { z } from 'zod';
import { nonEmptyString } from '../../src/contract/api/body-field.ts';
import { numericId } from '../../src/contract/api/endpoint.ts';
import { closedSet } from '../../src/contract/field/schemas.ts';
import type { Change } from '../change.ts';
import { companies } from '../companies/company.ts';
import { disconnectLogin, failLogin, startLogin } from '../login/change-login.ts';
import { failLoginAt, succeedLoginNow } from '../login/drive-login.ts';
import type { LoginOwner } from '../login/read-login.ts';
import { completeSneRequest } from '../sne/complete-sne-request.ts';
import { users } from '../users/user.ts';
import { changeRecord } from './change-record.ts';
import { control, type Control } from './control.ts';

/** Default error of a failed login. */
const REFUSED = 'O portal recusou o acesso';
const params = z.object({ id: numericId });
const step = closedSet(['credentials', 'username', 'password', 'certificate', 'otp']);
const failure = z.strictObject({ step: step.optional(), error: nonEmptyString.optional() }).optional();
const sne = z.strictObject({ status: closedSet(['active', 'inactive', 'unavailable']) });

/** Actions of the portal on logins, and decisions of the electronic notification system (SNE). */
export const loginControls: readonly Control[] = (['company', 'user'] as const).flatMap((kind) => {
  const name = kind === 'company' ? 'Company' : 'User';
  const path = kind === 'company' ? '/companies/{id}' : '/users/{id}';
  return [
    simple('start', 'start a login attempt', startLogin),
    control(
      {
        method: 'post',
        path: `${path}/login/fail`,
        summary: `${name}: fail its login, at its present step or at a given one`,
        params,
        body: failure,
      },
      ({ params: { id }, body }, { provider }) =>
        applied(id, provider, (change, owner) => {
          const { step, error = REFUSED } = body ?? {};
          return step === undefined
            ? failLogin(change, owner, error)
            : failLoginAt(change, owner, { step, error });
        }),
    ),
    simple('succeed', 'complete the login and begin a session', succeedLoginNow),
    simple('disconnect', 'end the session', disconnectLogin),
    control(
      {
        method: 'post',
        path: `${path}/sne/status`,
        summary: `${name}: decide its SNE registration`,
        params,
        body: sne,
      },
      ({ params: { id }, body: { status } }, { provider }) =>
        applied(id, provider, (change) => completeSneRequest(change, kind, id, status)),
    ),
  ];

  function simple(
    verb: string,
    summary: string,
    transition: (change: Change, owner: LoginOwner) => Promise<void>,
  ): Control {
    return control(
      { method: 'post', path: `${path}/login/${verb}`, summary: `${name}: ${summary}`, params },
      ({ params: { id } }, { provider }) => applied(id, provider, transition),
    );
  }

  /** Applies a transition and returns the whole company or user. */
  async function applied(
    id: number,
    provider: Parameters<typeof changeRecord>[0],
    transition: (change: Change, owner: LoginOwner) => Promise<void>,
  ): Promise<object> {
    const data = await changeRecord(provider, name, id, async (change) => {
      await transition(change, { kind, id });
      const owners = kind === 'company' ? companies : users;
      return owners.read(change.transaction, change.organization, id);
    });
    return { data };
  }
});
