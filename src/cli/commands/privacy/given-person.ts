/** The person that commands about personal data are given. */
import { createInterface } from 'node:readline';
import type { Contract } from '../../../contract/contract.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { parseIdentifiers, type Identifier } from '../../../privacy/identifier.ts';
import { relatedIdentifiers } from '../../../privacy/related-identifiers.ts';
import type { ReportScan } from '../../../privacy/scan-store.ts';
import type { Store } from '../../../store/store.ts';
import { createProgress } from '../../output/progress.ts';
import { operatorName } from '../../audited.ts';
import type { Session } from '../../session.ts';

/** The identifiers that commands about a person take. */
export const WHO =
  'CPF, CNPJ, e-mail address, phone, or subject such as user:77 or company:12; several identify one person; - reads them from standard input, so that no list of processes shows them';

/**
 * Parses the identifiers of one person.
 *
 * @throws PortariaError `invalid-argument` with a problem for each wrong one; none is repeated
 */
export async function givenIdentifiers(
  session: Session,
  who: readonly string[],
): Promise<readonly Identifier[]> {
  const texts = who.length === 1 && who[0] === '-' ? await linesOf(session.terminal.input) : who;
  if (texts.length === 0)
    throw new PortariaError(
      'invalid-argument',
      'Standard input names nobody: write one identifier on each line',
    );
  try {
    return parseIdentifiers(texts);
  } catch (error) {
    if (!PortariaError.is(error) || !texts.some(isSubject)) throw error;
    throw new PortariaError(error.code, error.message, {
      problems: [...error.problems, { where: 'for a subject', message: FOR_SUBJECTS }],
    });
  }
}

/** Which commands take the subjects that are not a person. */
export const FOR_SUBJECTS =
  '`portaria subjects show <family:id>` shows the events of a subject, `portaria subjects list --company <id>` what belongs to a company';

const isSubject = (text: string): boolean => /^[a-z-]+:\S+$/u.test(text);

/** Adds what the store says about the person: see `relatedIdentifiers`. */
export async function wholePerson(
  session: Session,
  store: Store,
  given: readonly Identifier[],
  contract: Contract,
): Promise<readonly Identifier[]> {
  const progress = createScanProgress(session, 'identifying');
  try {
    return await relatedIdentifiers(store, given, contract, progress.report);
  } finally {
    progress.stop();
  }
}

/** Shows how many rows of which place were read. */
export function createScanProgress(session: Session, name: string) {
  const progress = createProgress(session.terminal, name);
  const report: ReportScan = (place, rows) => {
    progress.update(rows, rows, `${place} rows`);
  };
  return { report, stop: () => progress.stop() };
}

/** Names who acts, for the ledger: as the audit does, unless a name is given. */
export function actorName({ terminal }: Session, by: string | undefined): string {
  return by ?? operatorName(terminal);
}

async function linesOf(input: NodeJS.ReadableStream): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input, crlfDelay: Infinity }))
    if (line.trim() !== '') lines.push(line.trim());
  return lines;
}
