import type { Definition } from './definition.ts';
import type { HandlerConfig } from './handler-config.ts';

/** Marks across copies of this package, where `instanceof` would not. */
const mark = Symbol.for('portaria.from-config');

type Made = Definition | readonly Definition[] | undefined;

/** A definition that waits for the configuration. */
export interface FromConfig {
  readonly [mark]: (config: HandlerConfig) => Made;
}

/**
 * For a handlers file whose definition depends on the configuration:
 * `export default fromConfig((config) => ...)`. Without a definition
 * (undefined) the file adds no handler.
 */
export function fromConfig(make: (config: HandlerConfig) => Made): FromConfig {
  return { [mark]: make };
}

export function isFromConfig(value: unknown): value is FromConfig {
  return typeof value === 'object' && value !== null && mark in value;
}

/** What the file makes of the configuration. @throws whatever its author's code throws. */
export function madeFrom(value: FromConfig, config: HandlerConfig): unknown {
  return value[mark](config);
}
