/** Looks up what belongs to the company of a filter. */
import { PortariaError } from '../../kernel/errors.ts';
import type { Asked, Company, Queries } from '../../store/queries.ts';
import { SEARCHED_FOR_COMPANY } from '../../view/parameters/conditions.ts';

/** Subjects of a company that one filter selects by: a job keeps them. */
const MAX_SUBJECTS = 10_000;

/** @throws PortariaError `invalid-argument` for a company to which more belongs than a filter selects by */
export async function withCompany<Filter extends { readonly company?: Company }>(
  store: Pick<Queries, 'companySubjects'>,
  asked: Asked<Filter>,
): Promise<Filter> {
  const { company: id, ...filter } = asked;
  // Without a company it is the filter of the store.
  if (id === undefined) return filter as unknown as Filter;
  const found = await store.companySubjects(id, SEARCHED_FOR_COMPANY);
  if (found.subjects.length > MAX_SUBJECTS)
    throw new PortariaError(
      'invalid-argument',
      `${String(found.subjects.length)} subjects belong to company ${id}, more than ${String(MAX_SUBJECTS)}: select by other conditions`,
    );
  return { ...filter, company: { id, ...found } } as unknown as Filter;
}
