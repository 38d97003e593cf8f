/** `--company`: what belongs to a company, whatever subject it is about. */
import type { Command } from 'commander';
import { withCompany } from '../../operate/search/with-company.ts';
import type { OfCompany, Queries } from '../../store/queries.ts';
import { companyParameter, SEARCHED_FOR_COMPANY } from '../../view/parameters/conditions.ts';
import type { Session } from '../session.ts';
import { addConditions } from './conditions.ts';

export function addCompanyOption(command: Command): Command {
  return addConditions(command, { company: companyParameter });
}

/** What to know of a search for a company that is partial. */
export const PARTIAL = `note: the violations and charges of the company were looked for in the newest ${String(SEARCHED_FOR_COMPANY)} events; those without an event among them are missing`;

/** Does what {@link withCompany} does. Says so if there are older events that were not searched. */
export async function lookedUp<Filter extends OfCompany>(
  session: Session,
  store: Pick<Queries, 'companySubjects'>,
  asked: Filter,
): Promise<Filter & OfCompany> {
  const filter = await withCompany(store, asked);
  if (filter.partial === true) await session.note(PARTIAL);
  return filter;
}
