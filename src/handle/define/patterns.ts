import { eventKinds, isEventKind } from '../../contract/catalogue.ts';
import { kindsMatching, type EventPattern } from '../../contract/event-pattern.ts';
import { suggest } from '../../kernel/text/suggest.ts';

/** The type of `on`: one kind or wildcard, or a list of them. */
export type Patterns = EventPattern | readonly EventPattern[];

/** The kinds and wildcards in an `on`, as a union. */
export type PatternsIn<P extends Patterns> = P extends readonly (infer E)[]
  ? Extract<E, string>
  : Extract<P, string>;

/** Returns `on` as a list without duplicates. */
export function patternList(on: string | readonly string[]): readonly string[] {
  return [...new Set(typeof on === 'string' ? [on] : on)];
}

/** Kinds that the specification (Events) names without showing their payload. */
const kindsWithoutPayload = /^(user\.login)\.failed$|^(company)\.sync\./;

/** Returns what is wrong with a kind or wildcard and how to fix it; undefined when it is valid. */
export function patternProblem(pattern: string): string | undefined {
  const wildcard = pattern.includes('*');
  if (wildcard ? kindsMatching(pattern).length > 0 : isEventKind(pattern)) return undefined;

  const family = kindsWithoutPayload.exec(pattern);
  if (family !== null) {
    const wider = `${family[1] ?? family[2] ?? ''}.*`;
    return `the specification names "${pattern}" without its payload; "${wider}" matches it, as an unrecognized event`;
  }
  const near = suggest(pattern, wildcard ? wildcards() : eventKinds);
  const remedy =
    near === undefined ? '; `portaria handlers list` shows all kinds' : `; did you mean "${near}"?`;
  return wildcard ? `"${pattern}" matches no kind${remedy}` : `there is no kind "${pattern}"${remedy}`;
}

/** One wildcard for each prefix of the kinds' names: `company.*`, `company.login.*`, … */
function wildcards(): ReadonlySet<string> {
  const prefixes = eventKinds.flatMap((kind) => {
    const segments = kind.split('.');
    return segments.slice(1).map((_, index) => `${segments.slice(0, index + 1).join('.')}.*`);
  });
  return new Set(prefixes);
}
