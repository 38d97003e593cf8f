import { eventKinds, isEventKind } from '../../contract/catalogue.ts';
import { kindsMatching } from '../../contract/event-pattern.ts';
import { suggest } from '../../kernel/text/suggest.ts';

/** Kinds that the specification (Events) names without showing their payload. */
const named = /^(user\.login)\.failed$|^(company)\.sync\./;

/** What is wrong with a kind or wildcard, and the remedy; undefined when nothing is. */
export function patternProblem(pattern: string): string | undefined {
  const wildcard = pattern.includes('*');
  if (wildcard ? kindsMatching(pattern).length > 0 : isEventKind(pattern)) return undefined;

  const family = named.exec(pattern);
  if (family !== null) {
    const wider = `${family[1] ?? family[2] ?? ''}.*`;
    return `"${pattern}" is named by the specification without its payload; "${wider}" gets it, unrecognized`;
  }
  const near = suggest(pattern, wildcard ? wildcards() : eventKinds);
  const remedy =
    near === undefined ? '; `portaria handlers list` shows all kinds' : `; did you mean "${near}"?`;
  return wildcard ? `"${pattern}" matches no kind${remedy}` : `there is no kind "${pattern}"${remedy}`;
}

/** `company.*`, `company.login.*`, ...: every level of the kinds' names. */
function wildcards(): ReadonlySet<string> {
  const levels = eventKinds.flatMap((kind) => {
    const segments = kind.split('.');
    return segments.slice(1).map((_, at) => `${segments.slice(0, at + 1).join('.')}.*`);
  });
  return new Set(levels);
}
