/** The way back of docs/upgrade.md: nothing that arrived since the copy is lost, and nothing is stored twice. */
import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliEnvironment, violation } from './kit/cli-environment.ts';

const handler = "export default defineHandler({ name: 'mail', on: '*', handle() {} });";

test('events since the copy are exported, and imported into the copy without running handlers', async () => {
  const cli = cliEnvironment({ mail: handler });
  await cli.seed([violation(1)]);
  const copy = join(cli.folder, 'copy.db');
  copyFileSync(cli.database, copy);
  const since = new Date(cli.clock.now() - 1_000).toISOString();
  cli.clock.wall += 60_000;
  await cli.seed([violation(2), violation(3, 'paid')]);

  const exported = await cli.run('events', 'export', '--since', since, '--file', 'since.ndjson');
  expect(exported.code).toBe(0);
  const arrived = (await cli.run('events', 'list', '--json')).rows;
  for (const end of ['', '-wal', '-shm']) rmSync(`${cli.database}${end}`, { force: true });
  copyFileSync(copy, cli.database);
  expect((await cli.run('events', 'list', '--json')).rows).toHaveLength(1);

  const { code, err } = await cli.run('events', 'import', 'since.ndjson', '--no-handlers');

  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('1 duplicate') as string });
  const restored = (await cli.run('events', 'list', '--json')).rows;
  const facts = ({ kind, subject, received_at, verdict }: Record<string, unknown>) => ({
    kind,
    subject,
    received_at,
    verdict,
  });
  expect(restored.map(facts)).toEqual(arrived.map(facts));
  // The first event had a delivery before the copy; the imported ones have none.
  expect((await cli.run('deliveries', 'list', '--json')).rows).toHaveLength(1);
});

test('the document names the commands of this test', () => {
  const document = readFileSync(new URL('../../docs/upgrade.md', import.meta.url), 'utf8');
  expect(document).toContain('events export --since <time of the copy> --file since.ndjson');
  expect(document).toContain('events import since.ndjson`');
  expect(document).toContain('`--no-handlers`');
});
