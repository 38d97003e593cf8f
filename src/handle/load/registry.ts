/** The handlers and machines of a process, by event and by name. */
import type { Contract } from '../../contract/contract.ts';
import type { KindContract } from '../../contract/kind-contract.ts';
import { specification } from '../../contract/specification.ts';
import { PortariaError, problemList, type Problem } from '../../kernel/errors.ts';
import type { LatestHandler } from '../../store/lane-queue.ts';
import type { Route } from '../../store/route.ts';
import { wantsEvent, type Definition } from '../define/definition.ts';
import { laneOrder, type Handler } from '../define/handler.ts';
import { effectsName, type Machine } from '../define/machine.ts';
import { withStrictValues } from '../define/strict-values.ts';
import { resolveRates, type Rate } from './rates.ts';

/** What runs for a delivery: a handler, the fold of a machine, or the effects of a machine. */
export type Runnable =
  | { readonly type: 'handler'; readonly handler: Handler }
  | { readonly type: 'fold'; readonly machine: Machine }
  | { readonly type: 'effects'; readonly machine: Machine };

/** All handlers and machines of a process, indexed by kind and by delivery name. */
export interface Registry {
  readonly definitions: readonly Definition[];
  /** The kinds that the definitions can receive. */
  readonly contract: Contract;
  /** Files of the handlers folder without any text, which are ignored. */
  readonly emptyFiles?: readonly string[];
  /** Shipped machines that do not run, because a handlers folder takes their place; none by default. */
  readonly replacedMachines?: readonly string[];
  /** Every handler name that a delivery can carry: handlers, machines, and `<machine>/effects`. */
  readonly deliveryNames: readonly string[];
  /** The handlers without the machines, which find the place of an older event by themselves. */
  readonly plainHandlers: readonly string[];
  /** The handlers that take no stale events: they want only the newest event of a subject. */
  readonly newestOnly: readonly string[];
  /** The handlers with `order: 'latest'`. */
  readonly latest: readonly LatestHandler[];
  /** Returns one route for each definition that receives the event; without a source, from any source. */
  routesFor(
    event: { readonly kind: string; readonly recognized: boolean },
    source?: string,
  ): readonly Route[];
  runnable(deliveryName: string): Runnable | undefined;
  /** Returns how often deliveries of this name are called; undefined: as often as they come. */
  rate(deliveryName: string): Rate | undefined;
  /** Returns every kind of the contract, with the names of the definitions that receive it. */
  coverage(): readonly { readonly kind: string; readonly handlers: readonly string[] }[];
}

/**
 * Builds the registry of a process. Routes keep the order of `definitions`.
 *
 * @throws PortariaError `handler-invalid`; it lists every name that is used twice, every custom kind that the contract
 *   lacks, and every shared rate that is not the same everywhere, or nowhere.
 */
export function createRegistry(given: readonly Definition[], contract: Contract = specification): Registry {
  rejectDuplicateNames(given);
  rejectMissingKinds(given, contract);
  const definitions = given.map((one) =>
    one.type === 'machine' ? withKinds(one, contract) : withStrictValues(one, contract),
  );
  const rates = resolveRates(given);
  const runnables = new Map(definitions.flatMap(runnablesOf));
  const routesOf = new Map(
    contract.kinds.map((kind) => [kind, findRoutes({ kind: kind.kind, recognized: true }, kind)]),
  );

  function findRoutes(
    event: { readonly kind: string; readonly recognized: boolean },
    kind?: KindContract,
  ): readonly Route[] {
    return definitions
      .filter((definition) => wantsEvent(definition, event) && isOfKind(definition, event.kind, kind))
      .map(routeTo);
  }

  /** Events that were counted by their kind alone may be of any source. */
  function routesOfName(name: string): readonly Route[] | undefined {
    const routes = contract.kinds
      .filter(({ kind }) => kind === name)
      .flatMap((kind) => routesOf.get(kind) ?? []);
    return routes.length === 0
      ? undefined
      : routes.filter((route, at) => at === routes.findIndex((one) => one.handler === route.handler));
  }

  return {
    definitions,
    contract,
    deliveryNames: [...runnables.keys()],
    plainHandlers: definitions.flatMap((each) => (each.type === 'handler' ? [each.name] : [])),
    newestOnly: definitions.flatMap((each) => (each.type === 'handler' && !each.stale ? [each.name] : [])),
    latest: definitions.flatMap((each) =>
      each.type === 'handler' && each.latest !== undefined ? [{ handler: each.name, ...each.latest }] : [],
    ),
    // Unrecognized kinds are not cached: a sender can invent any number of them.
    routesFor(event, source) {
      if (!event.recognized) return findRoutes(event);
      if (source === undefined) return routesOfName(event.kind) ?? findRoutes(event);
      const kind = contract.find(source, event.kind);
      return (kind === undefined ? undefined : routesOf.get(kind)) ?? findRoutes(event);
    },
    runnable: (deliveryName) => runnables.get(deliveryName),
    rate: (deliveryName) => rates.get(deliveryName),
    coverage: () =>
      contract.kinds.map((kind) => ({
        kind: kind.kind,
        handlers: (routesOf.get(kind) ?? []).map(({ handler }) => handler),
      })),
  };
}

/** Two sources may use one name: a definition that names a kind by its object receives that source's events only. */
function isOfKind({ customKinds }: Definition, name: string, kind: KindContract | undefined): boolean {
  const own = customKinds.filter((one) => one.kind === name);
  return own.length === 0 || own.some((one) => kind?.definitions.includes(one) === true);
}

function withKinds(machine: Machine, contract: Contract): Machine {
  return {
    ...machine,
    kinds: [...new Set(machine.on.flatMap((pattern) => contract.kindsMatching(pattern)))],
  };
}

function rejectMissingKinds(definitions: readonly Definition[], contract: Contract): void {
  const known = new Set(contract.kinds.flatMap((kind) => kind.definitions));
  const problems = definitions.flatMap(({ type, name, customKinds }) =>
    customKinds
      .filter((kind) => !known.has(kind))
      .map(({ kind }): Problem => ({
        where: `${type} "${name}"`,
        message: `kind "${kind}" is not part of the contract: export it from a file of the handlers folder, or pass it to createPortaria in kinds or sources`,
      })),
  );
  if (problems.length === 0) return;
  throw new PortariaError('handler-invalid', problemList(problems), { problems });
}

/** A machine needs every event of a subject, in one lane. Its effects get their own deliveries. */
function routeTo(definition: Definition): Route {
  if (definition.type === 'machine') return { handler: definition.name, order: 'subject', stale: true };
  return { handler: definition.name, order: laneOrder(definition), stale: definition.stale };
}

function runnablesOf(definition: Definition): [name: string, runnable: Runnable][] {
  if (definition.type === 'handler') return [[definition.name, { type: 'handler', handler: definition }]];
  return [
    [definition.name, { type: 'fold', machine: definition }],
    // Needed even without effects: an earlier version of the machine may have stored deliveries for some.
    [effectsName(definition.name), { type: 'effects', machine: definition }],
  ];
}

function rejectDuplicateNames(definitions: readonly Definition[]): void {
  const seen = new Set<string>();
  const problems: Problem[] = [];
  for (const { name, type } of definitions) {
    if (seen.has(name)) {
      problems.push({
        where: `${type} "${name}"`,
        message: 'the name is already in use: rename one of them',
      });
    }
    seen.add(name);
  }
  if (problems.length === 0) return;
  const list = problemList(problems);
  throw new PortariaError('handler-invalid', `two definitions share a name: ${list}`, { problems });
}
