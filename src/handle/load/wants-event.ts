import { patternMatches } from '../../contract/event-pattern.ts';
import type { Definition } from '../define/definition.ts';

/**
 * Whether a definition gets an event. What the contract does not know goes to
 * handlers that asked for it by a wildcard, and never to machines.
 */
export function wantsEvent(
  definition: Definition,
  event: { readonly kind: string; readonly recognized: boolean },
): boolean {
  if (!event.recognized && definition.type === 'machine') return false;
  return definition.on.some(
    (pattern) => (event.recognized || pattern.includes('*')) && patternMatches(pattern, event.kind),
  );
}
