/** What an operator changes of a subject waits for the transaction that has locked it, and sees what that wrote. */
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { rawClient } from '../kit/raw-client.ts';
import { openTwoOwners } from '../kit/two-owners.ts';

/** Whether a statement waits for another transaction. */
const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

test('given a repeat that is being counted, when its ambiguity is resolved, then the resolution knows the repeat', async () => {
  const { first, client } = await openTwoOwners();
  for (const content of ['A', 'B', 'A']) await first.accept({ subject: 'company:1', content });
  const [newest] = await first.store.events({}, { order: 'newest', limit: 1 });
  if (newest === undefined) throw new Error('no event');
  const watcher = await rawClient(first.store);

  await client.query('begin');
  await client.query('select from subjects for no key update');
  await client.query(
    `insert into event_repeats (event_id, repeats, last_repeat_at) select max(id), 1, 0 from events`,
  );
  const resolved = first.store.resolveAmbiguity(newest.id, 'superseded', 0);
  await eventually('the resolution waits', async () => (await watcher.query(WAITING)).rowCount === 1);
  await client.query('commit');

  expect(await resolved).toBe('unconfirmed');
});
