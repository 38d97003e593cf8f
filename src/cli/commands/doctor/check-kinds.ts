/** The check of `doctor` for kinds that nobody knew when they arrived. */
import type { KnowsKind } from '../../../attention/unknown-kinds.ts';
import { countOf } from '../../../kernel/text/count.ts';
import type { Check } from '../../../store/checks.ts';
import type { ReceivedKind } from '../../../store/monitoring.ts';

/**
 * Counts the kinds that arrived as unrecognized, by the definitions of now, as `contract drift` does. Never fails:
 * `observe` finds those that need attention.
 */
export function checkKinds(received: readonly ReceivedKind[], knows: KnowsKind): Check {
  const unrecognized = received.filter(({ recognized }) => !recognized);
  const others = unrecognized.filter(({ kind }) => kind === '');
  const named = unrecognized.filter(({ kind }) => kind !== '');
  const defined = named.filter(({ source, kind }) => knows(source, kind));
  const unknown = named.filter((kind) => !defined.includes(kind));
  const parts = [
    unknown.length === 0
      ? 'no kind outside the contract has arrived'
      : `${countOf(unknown.length, 'kind')} outside the contract ${unknown.length === 1 ? 'has' : 'have'} arrived (\`portaria contract drift\` names ${unknown.length === 1 ? 'it' : 'them'})`,
    ...(defined.length === 0
      ? []
      : [
          `events of ${countOf(defined.length, 'kind')} came before ${defined.length === 1 ? 'it was' : 'they were'} defined and stay unrecognized (\`portaria events list --flag unrecognized\`)`,
        ]),
    ...(others.length === 0 ? [] : [`${String(eventsOf(others))} events of others together`]),
  ];
  return { name: 'unknown kinds', ok: true, detail: parts.join('; ') };
}

function eventsOf(kinds: readonly ReceivedKind[]): number {
  return kinds.reduce((sum, { events }) => sum + events, 0);
}
