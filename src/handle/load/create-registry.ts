import { eventKinds } from '../../contract/catalogue.ts';
import { PortariaError } from '../../kernel/errors.ts';
import type { Problem } from '../../kernel/errors.ts';
import type { Route } from '../../store/route.ts';
import type { Definition } from '../define/definition.ts';
import { effectsName } from '../define/effects-name.ts';
import type { Registry, Runnable } from './registry.ts';
import { wantsEvent } from './wants-event.ts';

/**
 * The registry of these handlers and machines; they get events in this order.
 *
 * @throws PortariaError `handler-invalid` naming every name that is taken twice.
 */
export function createRegistry(definitions: readonly Definition[]): Registry {
  refuseRepeats(definitions);
  const runnables = new Map(definitions.flatMap(runnablesOf));
  const known = new Map(eventKinds.map((kind) => [kind as string, routes({ kind, recognized: true })]));

  function routes(event: { readonly kind: string; readonly recognized: boolean }): readonly Route[] {
    return definitions.filter((definition) => wantsEvent(definition, event)).map(routeTo);
  }

  return {
    definitions,
    deliveryNames: [...runnables.keys()],
    // Only kinds of the contract are remembered: a sender may make up any number of others.
    routesFor: (event) => (event.recognized ? known.get(event.kind) : undefined) ?? routes(event),
    runnable: (deliveryName) => runnables.get(deliveryName),
    coverage: () =>
      eventKinds.map((kind) => ({ kind, handlers: (known.get(kind) ?? []).map(({ handler }) => handler) })),
  };
}

/** Machines need every event of their subjects, in one line; their effects get deliveries of their own. */
function routeTo(definition: Definition): Route {
  if (definition.type === 'machine') return { handler: definition.name, order: 'subject', stale: true };
  return { handler: definition.name, order: definition.order, stale: definition.stale };
}

function runnablesOf(definition: Definition): [name: string, runnable: Runnable][] {
  if (definition.type === 'handler') return [[definition.name, { type: 'handler', handler: definition }]];
  return [
    [definition.name, { type: 'fold', machine: definition }],
    // Also without effects: those stored under an earlier version of the machine must come to an end.
    [effectsName(definition.name), { type: 'effects', machine: definition }],
  ];
}

function refuseRepeats(definitions: readonly Definition[]): void {
  const seen = new Set<string>();
  const problems: Problem[] = [];
  for (const { name, type } of definitions) {
    if (seen.has(name)) {
      problems.push({
        where: `${type} "${name}"`,
        message: 'the name is taken: give one of the two another',
      });
    }
    seen.add(name);
  }
  if (problems.length === 0) return;
  const list = problems.map(({ where, message }) => `${where}: ${message}`).join('; ');
  throw new PortariaError('handler-invalid', `two definitions share a name: ${list}`, { problems });
}
