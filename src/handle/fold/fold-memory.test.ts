import { expect, it } from 'vitest';
import { createFoldMemory } from './fold-memory.ts';

it('forgets a history once an event of its subject was erased: its states hold the erased data', () => {
  const memory = createFoldMemory();
  const events = Float64Array.from({ length: 300 }, (_, at) => at);
  const history = { events, erased: 0, snapshots: [{ at: 300, state: 'Ana', anomalies: 0 }], anomalies: [] };
  memory.remember('names user:1', history);
  expect(memory.recall('names user:1', 0)).toBe(history);
  expect(memory.recall('names user:1', 1)).toBeUndefined();
  expect(memory.recall('names user:1', 0)).toBeUndefined();
});
