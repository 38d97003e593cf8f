import { catalogue, type EventKind } from '../../src/contract/catalogue.ts';
import { fnv1a } from '../fnv-1a.ts';

/** A whole number, the same for all events of a record: its lane, in which they stay in order. */
export function laneHash(kind: EventKind, recordId: number | string): number {
  return fnv1a(`${catalogue[kind].family}:${String(recordId)}`);
}
