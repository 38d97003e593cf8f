/** The routes of appeals. */
import { appealEndpoints, createdAppeal } from '../../src/contract/api/appeal-endpoints.ts';
import { route } from '../http/route.ts';
import { readPage } from '../list/read-page.ts';
import { addAppeal } from './change-appeal.ts';
import { readAppeal, readAppeals } from './read-appeal.ts';

/** The endpoints of appeals (specification, Endpoints). */
export const appealRoutes = [
  route(appealEndpoints.list, async ({ organization, query: parameters }, { query }) => {
    const { page, page_size, status } = parameters;
    const appeals = query.selectFrom('appeals').select('id').where('organization_id', '=', organization);
    const { data, total } = await readPage(
      query,
      {
        ids: status === 'all' ? appeals : appeals.where('status', '=', status),
        rows: (ids) => readAppeals(query, organization, ids),
      },
      { page, size: page_size },
    );
    return { page, page_size, total, total_pages: Math.ceil(total / page_size), data };
  }),
  route(appealEndpoints.read, ({ organization, params }, { query }) =>
    readAppeal(query, organization, params.id),
  ),
  route(appealEndpoints.create, async ({ organization, body }, provider) =>
    createdAppeal.parse(await provider.change(organization, (change) => addAppeal(change, body))),
  ),
];
