import type { EventPattern } from '../../contract/event-pattern.ts';

/** How `on` is written: one kind or wildcard, or several. */
export type Patterns = EventPattern | readonly EventPattern[];

/** The kinds and wildcards of an `on`, as a union. */
export type PatternsIn<P extends Patterns> = P extends readonly (infer E)[]
  ? Extract<E, string>
  : Extract<P, string>;

/** An `on` as a list, without repeats. */
export function patternList(on: string | readonly string[]): readonly string[] {
  return [...new Set(typeof on === 'string' ? [on] : on)];
}
