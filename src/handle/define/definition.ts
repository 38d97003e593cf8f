import type { Handler } from './handler.ts';
import type { Machine } from './machine.ts';

/** What a handlers file exports: made by `defineHandler` or `defineMachine`. */
export type Definition = Handler | Machine;

/** Marks across copies of this package, where `instanceof` would not. Copying with `...` keeps it. */
const mark = Symbol.for('portaria.definition');

export function markDefinition<D extends Definition>(definition: D): D {
  return Object.assign(definition, { [mark]: true });
}

export function isDefinition(value: unknown): value is Definition {
  return typeof value === 'object' && value !== null && mark in value;
}
