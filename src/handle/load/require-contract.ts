/** Stops a change by a contract that lacks what the serving process knows. */
import type { Contract } from '../../contract/contract.ts';
import { missingDefinitions, type KnownHandler, type MissingDefinition } from './known-definitions.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { printableLine } from '../../kernel/text/printable.ts';
import type { KnownDefinition, Processes } from '../../store/processes.ts';

/** Definitions that an error names, at most. */
const MAX_NAMED = 5;

/**
 * Rejects a command that reads stored bodies by a contract which lacks kinds or sources of the process that
 * serves the database: it would take their events for unrecognized, and erase or store the wrong content.
 *
 * @param otherwise another way to do the same, for the message: `use POST /api/quarantine/release`
 * @param handlers those that will get deliveries: one that is missing would never get them
 * @throws PortariaError `misconfigured`
 */
export async function requireContract(
  store: Pick<Processes, 'knownDefinitions'>,
  contract: Contract,
  otherwise?: string,
  handlers?: readonly KnownHandler[],
): Promise<void> {
  rejectMissing(await store.knownDefinitions(), contract, otherwise, handlers);
}

/** Does what {@link requireContract} does, with the record of a store. */
export function rejectMissing(
  known: readonly KnownDefinition[],
  contract: Contract,
  otherwise?: string,
  handlers?: readonly KnownHandler[],
): void {
  const missing = missingDefinitions(known, contract, handlers);
  if (missing.length === 0) return;
  const remedies = [remedyFor(missing), ...(otherwise === undefined ? [] : [`or ${otherwise}`])].join(', ');
  throw new PortariaError(
    'misconfigured',
    `The process that serves, or served last, knows ${namesOf(missing)} this command does not: ${remedies}. ` +
      'If it is to know them no longer, start it once: it records what it knows',
  );
}

/** `the kind company.archived and the source shop, which` */
function namesOf(missing: readonly MissingDefinition[]): string {
  const sources = new Set(missing.flatMap(({ type, name }) => (type === 'source' ? [name] : [])));
  // The kinds of a source that is missing go without saying.
  const told = missing.filter(({ source, differs }) => source === null || differs || !sources.has(source));
  // Processes of two versions may know two forms of one.
  const names = [...new Set(told.map(nameOf))];
  const texts = names.slice(0, MAX_NAMED);
  if (names.length > MAX_NAMED) texts.push(`${String(names.length - MAX_NAMED)} more`);
  return `${texts.length > 1 ? `${texts.slice(0, -1).join(', ')} and ${texts.at(-1) ?? ''}` : texts.join('')}, which`;
}

function nameOf({ type, name, source, differs }: MissingDefinition): string {
  const of = source === null ? '' : ` of ${printableLine(source)}`;
  return `${differs ? 'another form of the' : 'the'} ${type} ${printableLine(name)}${of}`;
}

function remedyFor(missing: readonly MissingDefinition[]): string {
  const isLibrary = missing.some(({ origin }) => origin === 'createPortaria');
  const handlers = missing.filter(({ type }) => type === 'handler');
  if (handlers.some(({ name }) => name === 'forward'))
    return handlers.length === 1
      ? 'set PORTARIA_FORWARD_URL as there'
      : 'set PORTARIA_HANDLERS and PORTARIA_FORWARD_URL as there';
  return isLibrary
    ? 'an application passes them to createPortaria, so set PORTARIA_HANDLERS to the folder of the files that export them (docs/library.md)'
    : 'set PORTARIA_HANDLERS as there';
}
