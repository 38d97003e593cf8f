import { z } from 'zod';
import { filledText } from '../../src/contract/api/body-field.ts';
import { numericId } from '../../src/contract/api/endpoint.ts';
import { closedSet } from '../../src/contract/field/closed-set.ts';
import type { Change } from '../change.ts';
import { readCompany } from '../companies/read-company.ts';
import { failLoginAt, succeedLoginNow } from '../login/drive-login.ts';
import type { LoginOwner } from '../login/read-login.ts';
import { disconnectLogin, failLogin, startLogin } from '../login/change-login.ts';
import { completeSneRequest } from '../sne/complete-sne-request.ts';
import { readUser } from '../users/read-user.ts';
import { changeRecord } from './change-record.ts';
import { control, type Control } from './control.ts';

/** What the portal says where nobody says otherwise. */
const REFUSED = 'O portal recusou o acesso';
const params = z.object({ id: numericId });
const step = closedSet(['credentials', 'username', 'password', 'certificate', 'otp']);
const failure = z.strictObject({ step: step.optional(), error: filledText.optional() }).optional();
const sne = z.strictObject({ status: closedSet(['active', 'inactive', 'unavailable']) });

/** What the portal does with logins, and what the electronic notification system answers. */
export const loginControls: readonly Control[] = (['company', 'user'] as const).flatMap((kind) => {
  const name = kind === 'company' ? 'Company' : 'User';
  const path = kind === 'company' ? '/companies/{id}' : '/users/{id}';
  return [
    simple('start', 'A login attempt begins', startLogin),
    control(
      {
        method: 'post',
        path: `${path}/login/fail`,
        summary: `${name}: its login fails where it is, or at a step that it is led to`,
        params,
        body: failure,
      },
      ({ params: { id }, body }, { provider }) =>
        played(id, provider, (change, owner) => {
          const { step, error = REFUSED } = body ?? {};
          return step === undefined
            ? failLogin(change, owner, error)
            : failLoginAt(change, owner, { step, error });
        }),
    ),
    simple('succeed', 'The login succeeds, and a session begins', succeedLoginNow),
    simple('disconnect', 'The session ends', disconnectLogin),
    control(
      {
        method: 'post',
        path: `${path}/sne/status`,
        summary: `${name}: the SNE answers what was asked of it`,
        params,
        body: sne,
      },
      ({ params: { id }, body: { status } }, { provider }) =>
        played(id, provider, (change) => completeSneRequest(change, kind, id, status)),
    ),
  ];

  function simple(
    verb: string,
    summary: string,
    move: (change: Change, owner: LoginOwner) => Promise<void>,
  ): Control {
    return control(
      { method: 'post', path: `${path}/login/${verb}`, summary: `${name}: ${summary}`, params },
      ({ params: { id } }, { provider }) => played(id, provider, move),
    );
  }

  /** Answers with the whole owner, as its detail does. */
  async function played(
    id: number,
    provider: Parameters<typeof changeRecord>[0],
    move: (change: Change, owner: LoginOwner) => Promise<void>,
  ): Promise<object> {
    const data = await changeRecord(provider, name, id, async (change) => {
      await move(change, { kind, id });
      const read = kind === 'company' ? readCompany : readUser;
      return read(change.transaction, change.organization, id);
    });
    return { data };
  }
});
