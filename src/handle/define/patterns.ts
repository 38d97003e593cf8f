/** The kinds and wildcards that a definition's `on` may hold, as types and at run time. */
import type { Contract } from '../../contract/contract.ts';
import type { EventPattern, KindsOf } from '../../contract/event-pattern.ts';
import { isKindDefinition, type KindDefinition } from '../kinds/kind-definition.ts';
import { suggest } from '../../kernel/text/suggest.ts';

/** One entry of `on`: a kind of the specification, a wildcard, or the result of `defineKind`. */
export type Pattern = EventPattern | KindDefinition;

/** The type of `on`: one entry, or a list of them. */
export type Patterns = Pattern | readonly Pattern[];

/** The entries of an `on`, as a union. */
export type PatternsIn<P extends Patterns> = P extends readonly (infer E)[] ? E : P;

/** The same `on`, in which a wildcard that matches no kind of the specification is an error. */
export type Matching<P> = P extends readonly unknown[]
  ? { readonly [At in keyof P]: MatchingOne<P[At]> }
  : MatchingOne<P>;

type MatchingOne<E> = E extends `${string}*${string}`
  ? [KindsOf<E>] extends [never]
    ? MatchesNoKind<E>
    : E
  : E;

/** What the compiler names for such a wildcard. An object: two different texts together are `never`. */
interface MatchesNoKind<Wildcard extends string> {
  readonly 'matches no kind': Wildcard;
}

/** What `on` holds, taken apart. */
export interface PatternList {
  /** Kinds and wildcards, without duplicates. */
  readonly on: readonly string[];
  /** The entries that are results of `defineKind`; their names are in `on` as well. */
  readonly customKinds: readonly KindDefinition[];
}

/** Takes `on` apart. */
export function patternList(on: Patterns): PatternList {
  const entries: readonly Pattern[] = Array.isArray(on) ? on : [on as Pattern];
  const customKinds = entries.filter(isKindDefinition);
  const names = entries.map((entry) => (isKindDefinition(entry) ? entry.kind : entry));
  return { on: [...new Set(names)], customKinds };
}

/** Kinds that the specification (Events) names without showing their payload. */
const kindsWithoutPayload = /^(user\.login)\.failed$|^(company)\.sync\./;

/**
 * Returns what is wrong with a kind or wildcard and how to fix it; undefined when it is valid. It is known once all
 * files are loaded: any of them may define the kind.
 */
export function patternProblem(pattern: string, contract: Contract): string | undefined {
  const wildcard = pattern.includes('*');
  if (contract.kindsMatching(pattern).length > 0) return undefined;

  const family = kindsWithoutPayload.exec(pattern);
  if (family !== null) {
    const wider = `${family[1] ?? family[2] ?? ''}.*`;
    return `the specification names "${pattern}" without its payload; "${wider}" matches it, as an unrecognized event`;
  }
  const kinds = contract.kinds.map(({ kind }) => kind);
  const near = suggest(pattern, wildcard ? wildcards(kinds) : kinds);
  const remedy =
    near === undefined
      ? "; `portaria handlers list --kind '*'` shows all kinds, and a kind of your own is exported from a file of the handlers folder"
      : `; did you mean "${near}"?`;
  return wildcard ? `"${pattern}" matches no kind${remedy}` : `there is no kind "${pattern}"${remedy}`;
}

/** One wildcard for each prefix of the kinds' names: `company.*`, `company.login.*`, … */
function wildcards(kinds: readonly string[]): ReadonlySet<string> {
  const prefixes = kinds.flatMap((kind) => {
    const segments = kind.split('.');
    return segments.slice(1).map((_, index) => `${segments.slice(0, index + 1).join('.')}.*`);
  });
  return new Set(prefixes);
}
