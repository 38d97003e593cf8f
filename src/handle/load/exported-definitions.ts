import { isDefinition } from '../define/definition.ts';
import type { Definition } from '../define/definition.ts';
import { isFromConfig, madeFrom } from '../define/from-config.ts';
import type { HandlerConfig } from '../define/handler-config.ts';

/**
 * The definitions that a module exports, by default or by name: definitions,
 * lists of them, and what `fromConfig` makes. Other exports (factories, types,
 * constants) are none of our business.
 *
 * @throws TypeError when there is no definition, or a list or `fromConfig`
 *   holds something else; and whatever a `fromConfig` throws.
 */
export function exportedDefinitions(module: unknown, config: HandlerConfig): readonly Definition[] {
  const found = new Set<Definition>();
  let fitting = false;
  for (const [name, value] of exportsOf(module)) {
    const parts = partsOf(value, name, config);
    if (parts === undefined) continue;
    fitting = true;
    for (const part of parts) found.add(part);
  }
  if (!fitting) {
    throw new TypeError(
      'exports no handler: export what defineHandler, defineMachine or fromConfig returns, by default or by name',
    );
  }
  return [...found];
}

/** Undefined when the value is none of ours. */
function partsOf(value: unknown, name: string, config: HandlerConfig): readonly Definition[] | undefined {
  if (isDefinition(value)) return [value];
  if (isFromConfig(value)) {
    const made = madeFrom(value, config);
    if (made === undefined) return [];
    return (
      partsOf(made, `what fromConfig in ${name} made`, config) ?? refuse(`what fromConfig in ${name} made`)
    );
  }
  if (!Array.isArray(value) || !value.some((item) => isDefinition(item) || isFromConfig(item)))
    return undefined;
  return value.flatMap((item: unknown, at) => {
    const where = `${name}[${String(at)}]`;
    return partsOf(item, where, config) ?? refuse(where);
  });
}

function exportsOf(module: unknown): readonly (readonly [string, unknown])[] {
  // `module.exports = defineHandler(...)`
  if (isDefinition(module) || isFromConfig(module) || Array.isArray(module))
    return [['module.exports', module]];
  if (typeof module !== 'object' || module === null) return [];
  // Each value once: a definition is often exported both by name and by default.
  const seen = new Set<unknown>();
  return Object.entries(module).filter(([, value]) => !seen.has(value) && seen.add(value));
}

function refuse(where: string): never {
  throw new TypeError(`${where} is not what defineHandler or defineMachine returns`);
}
