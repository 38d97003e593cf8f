import { catalogue, type EventKind } from '../../src/contract/catalogue.ts';

/**
 * A whole number, the same for all events of a record (FNV-1a): by it they share
 * a lane, however many there are, and so stay in order.
 */
export function laneHash(kind: EventKind, recordId: number | string): number {
  let hash = 0x811c9dc5;
  for (const character of `${catalogue[kind].family}:${String(recordId)}`)
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}
