import { z } from 'zod';
import { expected } from '../field/expected.ts';
import { object } from '../field/object.ts';
import { timestamp } from '../field/timestamp.ts';

const count = z.int({ error: expected('a whole number (a count)') });

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
