/** Loads the handlers, machines, kinds and sources that a process runs. */
import type { Config } from './config/config.ts';
import { extendedContract, invalidKinds, type Located } from './handle/kinds/extend-contract.ts';
import type { KindDefinition } from './handle/kinds/kind-definition.ts';
import type { SourceDefinition } from './handle/kinds/source-definition.ts';
import { createRegistry, type Registry } from './handle/load/registry.ts';
import type { Contract } from './contract/contract.ts';
import type { Definition } from './handle/define/definition.ts';
import { patternProblem } from './handle/define/patterns.ts';
import { invalidHandlers, loadHandlers, readHandlers } from './handle/load/load-handlers.ts';
import { ownFolder } from './kernel/files/package-files.ts';

/** The shipped machines. They are not loaded to be named: a start loads little. */
export const shippedMachines = ['indication-document', 'login-attempt', 'payment-slip'] as const;

type HandlersConfig = Pick<Config, 'handlersFolder' | 'forward'> & Partial<Pick<Config, 'handlersTimeoutMs'>>;

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
  const { contract, problems } = extendedContract({
    kinds: [...(own?.kinds ?? []), ...located(kinds)],
    sources: [...(own?.sources ?? []), ...located(sources)],
  });
  // Both at once: what one file says wrongly must not hide the mistakes of another.
  if (folder !== null && own !== null && own.problems.length > 0)
    throw invalidHandlers(folder, [...own.problems, ...problems]);
  if (problems.length > 0) throw invalidKinds(problems);
  rejectUnknownKinds(handlers ?? own?.definitions ?? [], contract, folder);
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

function rejectUnknownKinds(
  definitions: readonly Definition[],
  contract: Contract,
  folder: string | null,
): void {
  const problems = definitions.flatMap(({ type, name, on, customKinds }) =>
    on.flatMap((pattern) => {
      const isGiven = customKinds.some(({ kind }) => kind === pattern);
      const message = isGiven ? undefined : patternProblem(pattern, contract);
      return message === undefined ? [] : [{ where: `${type} "${name}"`, message: `on: ${message}` }];
    }),
  );
  if (problems.length > 0) throw invalidHandlers(folder ?? 'createPortaria', problems);
}

function located<D>(definitions: readonly D[] = []): readonly Located<D>[] {
  return definitions.map((definition) => ({ definition, file: 'createPortaria' }));
}

const isForward = ({ name }: Definition): boolean => name === 'forward';
