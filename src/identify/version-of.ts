import type { Contract } from '../contract/contract.ts';
import type { ParsedEvent } from '../event/event.ts';

/**
 * Returns the version that orders an event among its subject's events. Versions are compared as plain strings.
 * Null for kinds without a version, and for unrecognized kinds, whose fields are unknown.
 */
export function versionOf(event: ParsedEvent, contract: Contract): string | null {
  if (!event.recognized) return null;
  return contract.find(event.delivery.source, event.kind)?.version(event.data) ?? null;
}
