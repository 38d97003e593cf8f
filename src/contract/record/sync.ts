import { z } from 'zod';
import { closedSet, count, object } from '../field/schemas.ts';
import { timestamp } from '../field/time.ts';

const counters = object({
  total: count.describe('All there is to import.'),
  completed: count.describe('Succeeded or failed.'),
  succeeded: count.describe('Imported.'),
  failed: count.describe('Could not be imported.'),
  remaining: count.describe('Not tried yet.'),
});

/** How far the first import of a company is (specification, Resources, Synchronization snapshot). */
export const syncSnapshot = object({
  started_at: timestamp.describe('When the import began.'),
  totals: counters.describe('All domains together.'),
  domains: object({ vehicles: counters, traffic_violations: counters }).describe('Each domain by itself.'),
}).meta({ title: 'Synchronization snapshot' });

/** How the first import of a company ended (specification, Events, Synchronization stream, `done`). */
export const syncOutcome = object({
  status: closedSet(['success', 'partial_success', 'failure']).describe('Whether all of it was imported.'),
}).meta({ title: 'Synchronization outcome' });

/** How a first import ended (specification, Synchronization stream, done). */
export const importOutcome = z.enum(['success', 'partial_success', 'failure']);
