/** Schemas of a company's first import. */
import { closedSet, count, object, openSet } from '../field/schemas.ts';
import { timestamp } from '../field/time.ts';

const counters = object({
  total: count.describe('Items to import.'),
  completed: count.describe('Items that succeeded or failed.'),
  succeeded: count.describe('Imported items.'),
  failed: count.describe('Items that could not be imported.'),
  remaining: count.describe('Items not processed yet.'),
});

/** The progress of a company's first import (specification, Resources, Synchronization snapshot). */
export const syncSnapshot = object({
  started_at: timestamp.describe('When the import began.'),
  totals: counters.describe('All domains together.'),
  domains: object({ vehicles: counters, traffic_violations: counters }).describe('Each domain by itself.'),
}).meta({ title: 'Synchronization snapshot' });

/** The outcomes of a company's first import. */
export const importOutcome = closedSet(['success', 'partial_success', 'failure']);

/** The result of a company's first import (specification, Events, Synchronization stream, `done`). */
export const syncOutcome = object({
  status: openSet(importOutcome).describe('Whether everything was imported.'),
}).meta({ title: 'Synchronization outcome' });
