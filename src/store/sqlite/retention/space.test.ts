import BetterSqlite3 from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { freeSpace, giveBackSpace } from './space.ts';

test('a step gives back no more than asked, and all steps leave a reserve', () => {
  const database = new BetterSqlite3(':memory:');
  onTestFinished(() => void database.close());
  database.pragma('auto_vacuum = incremental');
  database.exec(
    'create table filler (content); insert into filler values (zeroblob(4000000)); delete from filler',
  );
  const before = freeSpace(database).bytes;
  expect(before).toBeGreaterThan(3_900_000);

  const given = giveBackSpace(database, 1_000_000);
  expect(given).toBeGreaterThan(990_000);
  // A page with pointers to others may go as well.
  expect(given).toBeLessThanOrEqual(1_000_000 + 4_096);
  expect(freeSpace(database).bytes).toBeLessThanOrEqual(before - given + 4_096);

  while (giveBackSpace(database, 1_000_000) > 0);
  expect(freeSpace(database).bytes).toBeGreaterThan(1_000_000);
});
