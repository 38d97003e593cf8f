/**
 * Symbols that mark the values a handlers file makes. A handlers file may have
 * its own copy of this package, where `instanceof` fails; a symbol from the
 * global registry is the same in every copy.
 */
export const definitionMark = Symbol.for('portaria.definition');
export const kindMark = Symbol.for('portaria.kind');
export const sourceMark = Symbol.for('portaria.source');
export const fromConfigMark = Symbol.for('portaria.from-config');
export const outcomeMark = Symbol.for('portaria.outcome');
export const transactionMark = Symbol.for('portaria.transaction');

/** Reports whether `value` is an object that carries `mark`. */
export function hasMark<M extends symbol>(value: unknown, mark: M): value is { readonly [K in M]: unknown } {
  return typeof value === 'object' && value !== null && mark in value;
}
