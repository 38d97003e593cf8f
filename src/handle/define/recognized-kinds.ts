import type { EventKind } from '../../contract/catalogue.ts';
import { kindsMatching } from '../../contract/event-pattern.ts';
import type { Machine } from './machine.ts';

/** The kinds of the contract that a machine takes; it gets no others. */
export function recognizedKinds(machine: Machine): readonly EventKind[] {
  return [...new Set(machine.on.flatMap(kindsMatching))];
}
