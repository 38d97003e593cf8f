/** The handlers that a command knows: those of a running process, or those of the settings. */
import type { Config } from '../config/config.ts';
import { specification } from '../contract/specification.ts';
import { definitionOf } from '../handle/load/recorded-handler.ts';
import { createRegistry, type Registry } from '../handle/load/registry.ts';
import { requireContract } from '../handle/load/require-contract.ts';
import { PortariaError } from '../kernel/errors.ts';
import { printableLine } from '../kernel/text/printable.ts';
import { suggest } from '../kernel/text/suggest.ts';
import { loadRegistry } from '../load-registry.ts';
import type { HandlerProcess } from '../store/processes.ts';
import type { Store } from '../store/store.ts';

/** The handlers that deliveries of a database run with. */
export interface KnownHandlers {
  /** Routes events. Its definitions cannot run here if a process has them. */
  readonly registry: Registry;
  /** The running processes that have them; none if they are those of PORTARIA_HANDLERS. */
  readonly processes: readonly HandlerProcess[];
}

/**
 * Returns the handlers of the running process, whether it was started by `serve` or embeds the library.
 * If none runs, returns those of PORTARIA_HANDLERS, with which `serve` would start here.
 *
 * @param local loads the handlers of PORTARIA_HANDLERS; beside a running process it is called only for the kinds of the folder.
 */
export async function knownHandlers(
  store: Pick<Store, 'processes'>,
  config: Config,
  local: (config: Config) => Promise<Registry> = loadRegistry,
): Promise<KnownHandlers> {
  const processes = await store.processes();
  if (processes.length === 0) return { registry: await local(config), processes };
  // The latest start comes first: its record of a handler that several processes have is the current one.
  const recorded = new Map(
    processes.flatMap(({ handlers }) => handlers.map((each) => [each.name, each] as const)).reverse(),
  );
  // Another process records its handlers, and not its kinds: those of the handlers folder are known here.
  const contract = config.handlersFolder === null ? specification : (await local(config)).contract;
  const definitions = [...recorded.values()].reverse().map(definitionOf);
  return { registry: createRegistry(definitions, contract), processes };
}

/**
 * Returns the handlers that get deliveries of what a command stores.
 *
 * @param otherwise another way to do the same, for the message
 * @throws PortariaError `misconfigured` when the process that served last knew more than the settings here
 */
export async function requireRoutes(
  store: Pick<Store, 'processes' | 'knownDefinitions'>,
  config: Config,
  otherwise?: string,
): Promise<Registry> {
  const { registry, processes } = await knownHandlers(store, config);
  const handlers = processes.length === 0 ? registry.definitions : undefined;
  await requireContract(store, registry.contract, otherwise, handlers);
  return registry;
}

/** Says whose handlers these are: `the running process 4711 on fleet-1 (Portaria 1.0.0)`. */
export function ownerText(processes: readonly HandlerProcess[]): string {
  if (processes.length === 0) return 'PORTARIA_HANDLERS';
  const each = processes.map(
    ({ pid, host, version }) =>
      `${String(pid)} on ${printableLine(host)} (Portaria ${printableLine(version)})`,
  );
  return `the running process${each.length === 1 ? '' : 'es'} ${each.join(', ')}`;
}

/** The error for a handler that is none of these, with those that are. */
export function unknownHandler(
  what: string,
  name: string,
  { registry, processes }: KnownHandlers,
): PortariaError {
  const names = registry.definitions.map((definition) => definition.name);
  const meant = suggest(name, names);
  const hint = meant === undefined ? ` are ${names.join(', ') || 'none'}` : `: did you mean ${meant}?`;
  return new PortariaError(
    'not-found',
    `${what}: there is no handler ${name}; the handlers of ${ownerText(processes)}${hint}`,
  );
}

/**
 * Rejects a `--handler` that is neither a handler of {@link knownHandlers} nor the handler of a stored
 * delivery: a command must not report "nothing" for a mistyped name.
 *
 * @throws PortariaError `not-found`
 */
export async function requireHandler(
  store: Pick<Store, 'processes' | 'totals'>,
  config: Config,
  name: string | undefined,
): Promise<void> {
  if (name === undefined) return;
  const { byHandler } = await store.totals();
  if (byHandler.some(({ handler }) => handler === name)) return;
  const known = await knownHandlers(store, config);
  if (!known.registry.deliveryNames.includes(name)) throw unknownHandler(`--handler ${name}`, name, known);
}

/**
 * Rejects a machine that has no state and that {@link knownHandlers} does not have.
 *
 * @throws PortariaError `not-found`
 */
export async function requireMachine(
  store: Pick<Store, 'processes' | 'listMachineStates'>,
  config: Config,
  name: string | undefined,
): Promise<void> {
  if (name === undefined) return;
  if ((await store.listMachineStates({ machine: name, limit: 1 })).length > 0) return;
  const { registry, processes } = await knownHandlers(store, config);
  const names = registry.definitions.flatMap((each) => (each.type === 'machine' ? [each.name] : []));
  if (names.includes(name)) return;
  const meant = suggest(name, names);
  const hint = meant === undefined ? ` are ${names.join(', ') || 'none'}` : `: did you mean ${meant}?`;
  throw new PortariaError(
    'not-found',
    `There is no machine ${name}; the machines of ${ownerText(processes)}${hint}`,
  );
}
