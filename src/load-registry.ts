/** Loads the handlers, machines, kinds and sources that a process runs. */
import type { Config } from './config/config.ts';
import { extendedContract, invalidKinds, type Located } from './handle/kinds/extend-contract.ts';
import type { KindDefinition } from './handle/kinds/kind-definition.ts';
import type { SourceDefinition } from './handle/kinds/source-definition.ts';
import { createRegistry, type Registry } from './handle/load/registry.ts';
import { withSourceFields, type Contract } from './contract/contract.ts';
import type { Definition } from './handle/define/definition.ts';
import { patternProblem } from './handle/define/patterns.ts';
import { invalidHandlers, loadHandlers, readHandlers } from './handle/load/load-handlers.ts';
import type { Problem } from './kernel/errors.ts';
import { ownFolder } from './kernel/files/package-files.ts';

/** The shipped machines. They are not loaded to be named: a start loads little. */
export const shippedMachines = ['indication-document', 'login-attempt', 'payment-slip'] as const;

type HandlersConfig = Pick<Config, 'handlersFolder' | 'forward'> &
  Partial<Pick<Config, 'handlersTimeoutMs' | 'sources'>>;

/**
 * Loads the handlers, kinds and sources of the configured folder, or the shipped handlers. With a forward target,
 * the shipped `forward` is added to a configured folder that has no handler of this name.
 *
 * @throws PortariaError `handler-invalid`, which names every file that is not valid
 */
export function loadRegistry(config: HandlersConfig): Promise<Registry> {
  return registryOf({ config });
}

/** Definitions that are given in code. */
export interface GivenDefinitions {
  readonly config: HandlersConfig;
  /** Replaces the handlers of the folder. */
  readonly handlers?: readonly Definition[];
  /** Kinds besides those of the folder. */
  readonly kinds?: readonly KindDefinition[];
  /** Sources besides those of the folder. */
  readonly sources?: readonly SourceDefinition[];
}

/** Does what {@link loadRegistry} does, with definitions that are given in code. */
export async function registryOf({ config, handlers, kinds, sources }: GivenDefinitions): Promise<Registry> {
  const folder = handlers === undefined ? config.handlersFolder : null;
  const { handlersTimeoutMs: timeoutMs } = config;
  const own =
    folder === null
      ? null
      : await readHandlers({ folder, config, ...(timeoutMs !== undefined && { timeoutMs }) });
  const extended = extendedContract({
    kinds: [...(own?.kinds ?? []), ...located(kinds)],
    sources: [...(own?.sources ?? []), ...located(sources)],
  });
  const { problems } = extended;
  const contract = withSourceFields(extended.contract, config.sources);
  // All at once: what one file says wrongly must not hide the mistakes of another.
  const mistakes = [...(own?.problems ?? []), ...problems];
  const unknown = unknownKinds(handlers ?? own?.definitions ?? [], contract, {
    fileOf: own?.fileOf,
    isWhole: mistakes.length === 0,
  });
  if (folder === null && unknown.length === 0 && problems.length > 0) throw invalidKinds(problems);
  if (mistakes.length + unknown.length > 0)
    throw invalidHandlers(folder ?? 'createPortaria', [...mistakes, ...unknown]);
  if (handlers !== undefined) return createRegistry(handlers, contract);
  const shipped = async () => (await loadHandlers({ folder: ownFolder('handlers'), config })).definitions;
  if (own === null) return createRegistry(await shipped(), contract);
  const needsForward = config.forward !== null && !own.definitions.some(isForward);
  const forward = needsForward ? (await shipped()).filter(isForward) : [];
  const names = new Set(own.definitions.map(({ name }) => name));
  return {
    ...createRegistry([...own.definitions, ...forward], contract),
    emptyFiles: own.emptyFiles,
    replacedMachines: shippedMachines.filter((name) => !names.has(name)),
  };
}

/** @param known whether no mistake keeps a kind out of the contract, and the file of each definition by its name */
function unknownKinds(
  definitions: readonly Definition[],
  contract: Contract,
  known: { readonly isWhole: boolean; readonly fileOf: ReadonlyMap<string, string> | undefined },
): readonly Problem[] {
  const note = known.isWhole ? '' : ' (if it is a kind of your own, the mistakes above keep it out)';
  return definitions.flatMap(({ type, name, on, customKinds }) =>
    on.flatMap((pattern) => {
      const isGiven = customKinds.some(({ kind }) => kind === pattern);
      const message = isGiven ? undefined : patternProblem(pattern, contract);
      if (message === undefined) return [];
      const where = known.fileOf?.get(name) ?? 'createPortaria';
      return [{ where, message: `${type} "${name}": on: ${message}${note}` }];
    }),
  );
}

function located<D>(definitions: readonly D[] = []): readonly Located<D>[] {
  return definitions.map((definition) => ({ definition, file: 'createPortaria' }));
}

const isForward = ({ name }: Definition): boolean => name === 'forward';
