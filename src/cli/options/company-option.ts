/** `--company`: what belongs to a company, whatever subject it is about. */
import { InvalidArgumentError, type Command } from 'commander';
import type { Queries, SourceSubject } from '../../store/queries.ts';
import type { Session } from '../session.ts';

/** The newest events whose payloads are searched for a company: about a second of reading. */
const SEARCHED = 250_000;

export function addCompanyOption(command: Command): Command {
  return command.option(
    '--company <id>',
    'what belongs to this company: its logins, violations, charges and their slips',
    (id: string) => {
      if (!/^\d{1,15}$/.test(id))
        throw new InvalidArgumentError('Write the number of a company, for example 12.');
      return id;
    },
  );
}

/** The subjects of a company. Says so if there are older events that were not searched. */
export async function subjectsOfCompany(
  session: Session,
  store: Pick<Queries, 'companySubjects'>,
  company: string,
): Promise<readonly SourceSubject[]> {
  const { subjects, older } = await store.companySubjects(company, SEARCHED);
  if (older)
    await session.note(
      `note: violations and charges of company ${company} were looked for in the newest ${String(SEARCHED)} events; those without an event among them are missing`,
    );
  return subjects;
}
