/** The routes of appeals. */
import { appealEndpoints, createdAppeal } from '../../src/contract/api/appeal-endpoints.ts';
import { route } from '../http/route.ts';
import { appeals } from './appeal.ts';
import { addAppeal } from './change-appeal.ts';

/** The endpoints of appeals (specification, Endpoints). */
export const appealRoutes = [
  route(appealEndpoints.list, async ({ organization, query: parameters }, { query }) => {
    const { page, page_size, status } = parameters;
    const { data, total } = await appeals.page(query, {
      organization,
      conditions: status === 'all' ? [] : [{ field: 'status', operator: '$eq', value: status }],
      page: { page, size: page_size },
    });
    return { page, page_size, total, total_pages: Math.ceil(total / page_size), data };
  }),
  route(appealEndpoints.read, ({ organization, params }, { query }) =>
    appeals.read(query, organization, params.id),
  ),
  route(appealEndpoints.create, async ({ organization, body }, provider) =>
    createdAppeal.parse(await provider.change(organization, (change) => addAppeal(change, body))),
  ),
];
