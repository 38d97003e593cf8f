/** `events export` beside a session that keeps events from being read in order. */
import { expect, test } from 'vitest';
import { DRAWING_LOCKS } from '../../../src/store/postgres/sql/advisory-locks.ts';
import { cliEnvironment, violation } from '../../cli/kit/cli-environment.ts';
import { connected, emptyDatabase } from '../kit/empty-database.ts';

test('an export that a foreign lock holds back says so, and is repeated', async () => {
  const url = await emptyDatabase();
  const cli = cliEnvironment({}, url);
  await cli.seed([violation(1), violation(2)]);
  const client = await connected(url);
  await client.query('select pg_advisory_lock($1)', [String(DRAWING_LOCKS + 1n)]);

  const { code, err } = await cli.run('events', 'export');
  expect(code).toBe(5);
  expect(err).toMatch(/^1 event exported\.\nNot all events are exported: \w{6}-2 is missing/);

  await client.query('select pg_advisory_unlock_all()');
  expect(await cli.run('events', 'export')).toMatchObject({ code: 0, err: '2 events exported.\n' });
});
