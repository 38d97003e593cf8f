/**
 * Given three receivers of this version, under load: each is replaced by one of the next version, whose migration adds
 * to the tables, and one of them by this version again. Both versions run together and nothing is lost, also when the
 * migration is killed beside the receivers: then it has changed nothing.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newestLevel } from '../../../src/store/postgres/database/tables/migrations.ts';
import { portaria } from '../../support/running-portaria.ts';
import { recording } from '../../support/workspace.ts';
import { need } from '../kit/needs.ts';
import { killMigration } from '../kit/programs/killed-migration.ts';
import { buildNextVersion } from '../kit/programs/other-versions.ts';
import { createDatabase, postgresOfTest, query, startReceivers } from '../kit/programs/receivers.ts';

test('processes of this version and the next one run together', async (context) => {
  need(context, 'postgres');
  const folder = mkdtempSync(join(tmpdir(), 'portaria-versions-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const next = buildNextVersion(join(folder, 'next'));
  const server = await postgresOfTest();
  const database = await createDatabase(server);
  const receivers = await startReceivers(database, [{}, {}, {}]);
  const { workspace } = receivers;
  // The next version has a handler that this one does not know.
  const handlers = join(workspace.folder, 'handlers-of-the-next-version');
  mkdirSync(handlers);
  cpSync(workspace.handlers, handlers, { recursive: true });
  workspace.writeHandler(
    '../handlers-of-the-next-version/audited.ts',
    `${recording(workspace)}
export default defineHandler({
  name: 'audited',
  on: 'charge.*',
  handle: ({ data }) => record('audited ' + process.pid + ' ' + data.code),
});
`,
  );
  const settings = { PORTARIA_HANDLERS: handlers };
  const newer = new Set<string>();
  await receivers.acknowledgedMore(40);

  const tables = () =>
    query(
      database,
      `select (select max(level) from migrations) as level, (select count(*) from pg_attribute
       where attrelid = 'deliveries'::regclass and attname = 'note') as added`,
    );
  for (const at of ['add column note', 'commit\0']) {
    await killMigration(database, at, next);
    expect(await tables()).toEqual([{ level: newestLevel, added: '0' }]);
    await receivers.acknowledgedMore(20);
  }

  for (const place of [0, 1, 2]) {
    await receivers.end(place, 'SIGTERM');
    newer.add(String((await receivers.start(place, settings, next)).pid));
    await receivers.acknowledgedMore(40);
  }
  expect(await tables()).toEqual([{ level: newestLevel + 1, added: '1' }]);
  // Back: the tables are of the next version by now.
  await receivers.end(0, 'SIGTERM');
  await receivers.start(0, { PORTARIA_HANDLERS: workspace.handlers });
  await receivers.acknowledgedMore(40);
  const { out } = await portaria(['doctor', '--json'], { PORTARIA_DATABASE: database });

  const { stored } = await receivers.finish('two versions');
  expect(out).toContain(`level ${String(newestLevel + 1)}, of a newer version`);
  const audited = workspace.recorded().filter((line) => line.startsWith('audited '));
  expect(audited.length).toBeGreaterThan(0);
  expect(audited.length).toBeLessThan(stored);
  expect(audited.filter((line) => !newer.has(line.split(' ')[1] ?? ''))).toEqual([]);
});
