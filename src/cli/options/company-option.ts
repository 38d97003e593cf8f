/** `--company`: what belongs to a company, whatever subject it is about. */
import type { Command } from 'commander';
import { withCompany } from '../../operate/search/with-company.ts';
import type { Asked, Company, Queries } from '../../store/queries.ts';
import { companyParameter, SEARCHED_FOR_COMPANY } from '../../view/parameters/conditions.ts';
import type { Session } from '../session.ts';
import { addConditions } from './conditions.ts';

export function addCompanyOption(command: Command): Command {
  return addConditions(command, { company: companyParameter });
}

/** Does what {@link withCompany} does. Says so if there are older events that were not searched. */
export async function lookedUp<Filter extends { readonly company?: Company }>(
  session: Session,
  store: Pick<Queries, 'companySubjects'>,
  asked: Asked<Filter>,
): Promise<Filter> {
  const filter = await withCompany<Filter>(store, asked);
  if (filter.company?.older === true)
    await session.note(
      `note: violations and charges of company ${filter.company.id} were looked for in the newest ${String(SEARCHED_FOR_COMPANY)} events; those without an event among them are missing`,
    );
  return filter;
}
