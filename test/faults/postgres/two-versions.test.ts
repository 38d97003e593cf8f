/**
 * Given three receivers of this version, under load: each is replaced by one of the next version, whose migration adds
 * to the tables, and one of them by this version again. Both versions run together and nothing is lost.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newestLevel } from '../../../src/store/postgres/database/tables/migrations.ts';
import { portaria } from '../../support/running-portaria.ts';
import { recording } from '../../support/workspace.ts';
import { need } from '../kit/needs.ts';
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
  const [tables] = await query(database, 'select max(level)::integer as level from migrations');
  expect(tables?.['level']).toBe(newestLevel);
  await receivers.acknowledgedMore(40);

  for (const place of [0, 1, 2]) {
    await receivers.end(place, 'SIGTERM');
    newer.add(String((await receivers.start(place, settings, next)).pid));
    await receivers.acknowledgedMore(40);
  }
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
