/** The routes of users. */
import { briefUser, userEndpoints } from '../../src/contract/api/user-endpoints.ts';
import { definedOnly } from '../http/defined-only.ts';
import { route } from '../http/route.ts';
import { matching } from '../list/matching.ts';
import { readPage } from '../list/read-page.ts';
import { withinPeriod } from '../list/within-period.ts';
import { cancelSne, signUpForSne } from '../sne/change-sne.ts';
import { addUser, changeUser, removeUser } from './change-user.ts';
import { readUser, readUserDriverLicense, readUsers, selectUsers } from './read-user.ts';

const columns = {
  name: 'users.name',
  tax_id: 'users.tax_id',
  email: 'users.email',
  'sne.status': 'sne_registrations.status',
  status: 'users.status',
  external_uid: 'users.external_uid',
  'login.status': 'logins.status',
  'login.step': 'logins.step',
  'login.connected': 'logins.connected',
  'login.connected_at': withinPeriod('logins.connected_at'),
  'login.disconnected_at': withinPeriod('logins.disconnected_at'),
};

/** The endpoints of users (specification, Endpoints). */
export const userRoutes = [
  route(userEndpoints.list, ({ organization, conditions, page }, { query }) =>
    readPage(
      query,
      {
        ids: selectUsers(query, organization).select('users.id').where(matching(conditions, columns)),
        rows: (ids) => readUsers(query, organization, ids),
      },
      page,
    ),
  ),
  route(userEndpoints.read, async ({ organization, params }, { query }) => ({
    data: await readUser(query, organization, params.id),
  })),
  route(userEndpoints.readDriverLicense, async ({ organization, params }, { query }) => ({
    data: await readUserDriverLicense(query, organization, params.id),
  })),
  route(userEndpoints.create, async ({ organization, body }, provider) => ({
    data: briefUser.parse(
      await provider.change(organization, (change) => addUser(change, definedOnly(body))),
    ),
  })),
  route(userEndpoints.update, async ({ organization, params, body }, provider) => ({
    data: briefUser.parse(
      await provider.change(organization, (change) => changeUser(change, params.id, definedOnly(body))),
    ),
  })),
  route(userEndpoints.remove, async ({ organization, params: { id } }, provider) => {
    await provider.change(organization, (change) => removeUser(change, id));
    return { message: `User with id ${String(id)} removed` };
  }),
  route(userEndpoints.signUpForSne, ({ organization, params: { id } }, provider) =>
    provider.change(organization, async (change) => {
      // Throws 404 without the user.
      await changeUser(change, id, {});
      return { data: await signUpForSne(change, 'user', id) };
    }),
  ),
  route(userEndpoints.cancelSne, ({ organization, params: { id } }, provider) =>
    provider.change(organization, async (change) => {
      await changeUser(change, id, {});
      return { data: await cancelSne(change, 'user', id) };
    }),
  ),
  route(userEndpoints.activate, async ({ organization, params }, provider) => {
    await provider.change(organization, (change) => changeUser(change, params.id, { status: 'active' }));
    return { data: { status: 'active' as const } };
  }),
  route(userEndpoints.deactivate, async ({ organization, params }, provider) => {
    await provider.change(organization, (change) => changeUser(change, params.id, { status: 'inactive' }));
    return { data: { status: 'inactive' as const } };
  }),
];
