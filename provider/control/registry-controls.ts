/** Controls of records without an endpoint of the API. */
import { z } from 'zod';
import { nonEmptyString, validCpf } from '../../src/contract/api/body-field.ts';
import { numericId } from '../../src/contract/api/endpoint.ts';
import { expected } from '../../src/contract/field/expected.ts';
import { closedSet } from '../../src/contract/field/schemas.ts';
import { date } from '../../src/contract/field/time.ts';
import { licenseStatuses, userDriverLicense } from '../../src/contract/record/driver-license.ts';
import { registerLicense } from '../driver-licenses/change-driver-license.ts';
import { definedOnly } from '../http/defined-only.ts';
import { HttpError } from '../http/http-error.ts';
import { storeUserDriverLicense } from '../users/change-user.ts';
import { readUserDriverLicense } from '../users/user.ts';
import { addWidget, widgetsOf } from '../widget/widgets.ts';
import { changeRecord, organizationNamed } from './change-record.ts';
import { control, type Control } from './control.ts';

const status = closedSet(licenseStatuses).default('Válida');
const organization = nonEmptyString.optional();

const license = z.strictObject({
  organization,
  tax_id: validCpf,
  license: nonEmptyString.nullable().default(null),
  name: nonEmptyString.nullable().default(null),
  points: z
    .int({ error: expected('a whole number') })
    .nullable()
    .default(null),
  status,
  issue_date: date.nullable().default(null),
  expiration_date: date.nullable().default(null),
});

const ofUser = z.strictObject({
  ...userDriverLicense.omit({ id: true, tax_id: true, status: true, user: true, created_at: true }).shape,
  status,
});

/** Uids are restricted to characters that need no escaping in a URL or in HTML. */
const widget = z
  .strictObject({
    organization,
    uid: nonEmptyString
      .regex(/^[\w-]{1,64}$/u, { error: 'expected up to 64 letters, digits, - and _' })
      .optional(),
  })
  .optional();

/** Records that the provider's operators maintain, without an endpoint of the API. */
export const registryControls: readonly Control[] = [
  control(
    { method: 'get', path: '/organizations', summary: 'The organizations, with their widgets' },
    async (_, { provider }) => {
      const all = await provider.query
        .selectFrom('organizations')
        .select(['id', 'name', 'created_at'])
        .orderBy('id')
        .execute();
      return {
        data: await Promise.all(
          all.map(async (each) => ({ ...each, widgets: await widgetsOf(provider, each.id) })),
        ),
      };
    },
  ),
  control(
    { method: 'post', path: '/widgets', summary: 'Add a widget to an organization', body: widget },
    async ({ body }, { provider }) => {
      const id = await organizationNamed(provider, body?.organization);
      const uid = body?.uid ?? `wgt_${provider.createSecret().slice(0, 16)}`;
      await provider.change(id, async (change) => {
        const known = await change.transaction
          .selectFrom('widgets')
          .select('uid')
          .where('uid', '=', uid)
          .executeTakeFirst();
        if (known !== undefined) throw new HttpError(409, `uid: widget ${uid} already exists`);
        await addWidget(change, uid);
      });
      return { data: { uid, organization: id } };
    },
  ),
  control(
    {
      method: 'post',
      path: '/driver-licenses',
      summary: 'Add or replace a licence in the registry that POST /v1/drivers reads',
      body: license,
    },
    async ({ body: { organization, ...given } }, { provider }) => {
      const id = await organizationNamed(provider, organization);
      await provider.change(id, (change) => registerLicense(change, given));
      return { data: { ...given, organization: id } };
    },
  ),
  control(
    {
      method: 'post',
      path: '/users/{id}/drivers-license',
      summary: "Add or replace a user's licence, as read from the portal",
      params: z.object({ id: numericId }),
      body: ofUser,
    },
    async ({ params: { id }, body }, { provider }) => ({
      data: await changeRecord(provider, 'User', id, async (change) => {
        await storeUserDriverLicense(change, id, definedOnly(body));
        return readUserDriverLicense(change.transaction, change.organization, id);
      }),
    }),
  ),
];
