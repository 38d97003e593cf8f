import BetterSqlite3 from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonValue } from '../kernel/json/json.ts';
import { migrate } from './sqlite/file/migrate.ts';
import { partsOfState } from './state-phases.ts';

const word = fc.string({ unit: 'binary', maxLength: 80, size: 'max' }).filter((text) => !text.includes('\0'));
const part = fc.oneof(word, fc.constant(null), fc.integer(), fc.array(word, { maxLength: 2 }));
const state = fc.oneof(
  part,
  fc.record(
    { phase: part, status: part, session: part, 'a.phase': part, inner: fc.record({ phase: word }) },
    { requiredKeys: [] },
  ),
) as fc.Arbitrary<JsonValue>;

test('the parts of any state are those that SQLite computes', () => {
  const database = new BetterSqlite3(':memory:');
  migrate(database);
  database.pragma('foreign_keys = off');
  const store = database.prepare(`
    replace into machine_states (machine, subject_id, state, last_event, revision, updated_at, anomalies)
    values ('m', 1, ?, 1, 1, 1, 0)`);
  const read = database.prepare<[], string>('select phases from machine_states').pluck();
  fc.assert(
    fc.property(state, (each) => {
      store.run(JSON.stringify(each));
      expect(JSON.parse(read.get() ?? '')).toEqual(partsOfState(each));
    }),
    { numRuns: 500 },
  );
  database.close();
});
