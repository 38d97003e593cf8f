/** Looks up what belongs to the company of a filter. */
import { PortariaError } from '../../kernel/errors.ts';
import type { OfCompany, Queries } from '../../store/queries.ts';
import { SEARCHED_FOR_COMPANY } from '../../view/parameters/conditions.ts';

/** Subjects of a company that one filter selects by: a job keeps them. */
const MAX_SUBJECTS = 10_000;

/** @throws PortariaError `invalid-argument` for a company to which more belongs than a filter selects by */
export async function withCompany<Filter extends OfCompany>(
  store: Pick<Queries, 'companySubjects'>,
  filter: Filter,
): Promise<Filter & OfCompany> {
  const { company } = filter;
  if (company === undefined) return filter;
  const found = await store.companySubjects(company, SEARCHED_FOR_COMPANY);
  if (found.subjects.length > MAX_SUBJECTS)
    throw new PortariaError(
      'invalid-argument',
      `${String(found.subjects.length)} subjects belong to company ${company}, more than ${String(MAX_SUBJECTS)}: select by other conditions`,
    );
  return { ...filter, ...found };
}
