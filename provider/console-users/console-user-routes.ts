/** The routes of console users. */
import { consoleUserEndpoints } from '../../src/contract/api/console-user-endpoints.ts';
import { route } from '../http/route.ts';
import { readPage } from '../list/read-page.ts';
import { removeConsoleUser, signConsoleUserIn } from './change-console-user.ts';
import { readGroup, removeFromGroup, selectGroup } from './company-group.ts';
import { consoleUsers, findConsoleUser } from './console-user.ts';

/** Length of a console user's id, without its prefix. */
const ID_LENGTH = 16;

/** The endpoints of console users (specification, Endpoints). */
export const consoleUserRoutes = [
  route(consoleUserEndpoints.list, (request, { query }) => consoleUsers.page(query, request)),
  route(consoleUserEndpoints.read, async ({ organization, params }, { query }) =>
    consoleUsers.json(await findConsoleUser(query, organization, params.id), 'response'),
  ),
  route(consoleUserEndpoints.companies.list, async ({ organization, params, page }, { query }) => {
    const { group_id } = await findConsoleUser(query, organization, params.id);
    return readPage(
      query,
      {
        ids: selectGroup(query, group_id).select('companies.id'),
        rows: (ids) => readGroup(query, group_id, ids),
      },
      page,
    );
  }),
  route(consoleUserEndpoints.signIn, async ({ organization, body }, provider) => {
    const token = provider.createSecret();
    const id = `cu_${provider.createSecret().slice(0, ID_LENGTH)}`;
    await provider.change(organization, (change) => signConsoleUserIn(change, body, { id, token }));
    return { token, redirect_url: `${provider.baseUrl()}/console?token=${encodeURIComponent(token)}` };
  }),
  route(consoleUserEndpoints.companies.remove, ({ organization, params, body }, provider) =>
    provider.change(organization, async (change) => {
      const { group_id } = await findConsoleUser(change.transaction, organization, params.id);
      const removed = await removeFromGroup(change, group_id, body.companies);
      return { message: `Companies removed from console user ${params.id}: ${String(removed)}` };
    }),
  ),
  route(consoleUserEndpoints.remove, async ({ organization, params: { id } }, provider) => {
    await provider.change(organization, (change) => removeConsoleUser(change, id));
    return { message: `Console user with id ${id} removed` };
  }),
];
