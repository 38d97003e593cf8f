import { closedSet } from '../field/closed-set.ts';
import { object } from '../field/object.ts';

/** How the first import of a company ended (specification, Events, Synchronization stream, `done`). */
export const syncOutcome = object({
  status: closedSet(['success', 'partial_success', 'failure']).describe('Whether all of it was imported.'),
}).meta({ title: 'Synchronization outcome' });
