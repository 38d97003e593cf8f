/** The routes of users. */
import { briefUser, userEndpoints } from '../../src/contract/api/user-endpoints.ts';
import { definedOnly } from '../http/defined-only.ts';
import { route } from '../http/route.ts';
import { cancelSne, signUpForSne } from '../sne/change-sne.ts';
import { addUser, changeUser, removeUser } from './change-user.ts';
import { readUserDriverLicense, users } from './user.ts';

/** The endpoints of users (specification, Endpoints). */
export const userRoutes = [
  route(userEndpoints.list, (request, { query }) => users.page(query, request)),
  route(userEndpoints.read, async ({ organization, params }, { query }) => ({
    data: await users.read(query, organization, params.id),
  })),
  route(userEndpoints.driverLicense.read, async ({ organization, params }, { query }) => ({
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
  route(userEndpoints.sne.signUp, ({ organization, params: { id } }, provider) =>
    provider.change(organization, async (change) => {
      // Throws 404 without the user.
      await changeUser(change, id, {});
      return { data: await signUpForSne(change, 'user', id) };
    }),
  ),
  route(userEndpoints.sne.cancel, ({ organization, params: { id } }, provider) =>
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
