/** Names of handlers and machines in flags: a mistyped one selects nothing, and the command should say so. */
import type { Config } from '../../config/config.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { suggest } from '../../kernel/text/suggest.ts';
import { loadRegistry } from '../../load-registry.ts';
import type { Queries } from '../../store/queries.ts';
import type { Session } from '../session.ts';

type Counts = Pick<Queries, 'totals'>;

/** Notes a handler that no delivery names and that is not configured. */
export async function noteUnknownHandler(
  session: Session,
  store: Counts,
  config: Config,
  handler: string | undefined,
): Promise<void> {
  const problem = await problemOf(store, config, handler);
  if (problem !== null) await session.note(`note: ${problem}`);
}

/**
 * Rejects such a handler. A command that changes something must not report success for a mistyped name.
 *
 * @throws PortariaError `invalid-argument`
 */
export async function requireHandler(
  store: Counts,
  config: Config,
  handler: string | undefined,
): Promise<void> {
  const problem = await problemOf(store, config, handler);
  if (problem !== null) throw new PortariaError('invalid-argument', problem);
}

/** A sentence that says that a name is unknown, with the name that may be meant. */
export function unknownName(flag: string, name: string, known: readonly string[]): string {
  const meant = suggest(name, known);
  return `${flag} ${name} is not configured${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

async function problemOf(store: Counts, config: Config, handler: string | undefined): Promise<string | null> {
  if (handler === undefined) return null;
  const delivered = (await store.totals()).byHandler.map((row) => row.handler);
  if (delivered.includes(handler)) return null;
  const known = [...new Set([...delivered, ...(await configuredNames(config))])];
  if (known.includes(handler)) return null;
  const meant = suggest(handler, known);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  return `--handler ${handler} is not configured, and no delivery names it${hint}`;
}

/** Handlers that do not load are another command's business. */
async function configuredNames(config: Config): Promise<readonly string[]> {
  try {
    return (await loadRegistry(config)).deliveryNames;
  } catch (error) {
    if (PortariaError.is(error)) return [];
    throw error;
  }
}
