/** Given `store copy` killed in every table and while it compares: the next run goes on, and both stores are equal. */
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgresServer } from '../../../scripts/postgres/server.mjs';
import { eventually } from '../../support/eventually.ts';
import { launchProgram } from '../../support/launch-program.ts';
import { portaria, rows } from '../../support/running-portaria.ts';
import { createWorkspace } from '../../support/workspace.ts';
import { printFigures } from '../kit/figures.ts';
import { fillDatabase } from '../kit/filled-store.ts';
import { need } from '../kit/needs.ts';
import { chargeBody } from '../kit/senders/webhooks.ts';

/** A few pages. */
const EVENTS = 8_000;

interface Progress {
  readonly name: string;
  readonly rows: string;
  readonly source_rows: string;
}

test('a copy to PostgreSQL that is killed at each stage is the whole store in the end', async (context) => {
  need(context, 'postgres');
  const server = await startPostgresServer();
  onTestFinished(() => server.stop());
  const workspace = createWorkspace();
  const bodies = Array.from({ length: EVENTS }, (_, id) => chargeBody(id, 1));
  await fillDatabase(workspace.database, bodies, [{ handler: 'one', order: 'subject', stale: false }]);
  const env = { PORTARIA_DATABASE: workspace.database };
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  onTestFinished(() => client.end());

  async function progress(): Promise<readonly Progress[]> {
    const found = await client
      .query<Progress>('select name, rows, source_rows from copy_progress')
      .catch(() => ({ rows: [] }));
    return found.rows;
  }
  const begun = (all: readonly Progress[], table: string): boolean =>
    all.some(({ name, rows }) => name === table && Number(rows) > 0);
  const stages: Readonly<Record<string, (all: readonly Progress[]) => boolean>> = {
    subjects: (all) => begun(all, 'subjects'),
    events: (all) => begun(all, 'events'),
    deliveries: (all) => begun(all, 'deliveries'),
    // Counts come last.
    comparing: (all) => begun(all, 'row_counts'),
  };
  let killed = 0;
  for (const [stage, isReached] of Object.entries(stages)) {
    const run = launchProgram(['store', 'copy', '--to', server.url], env);
    await eventually(`the copy has reached ${stage}`, async () => isReached(await progress()) || undefined);
    run.child.kill('SIGKILL');
    if ((await run.ended).signal === 'SIGKILL') killed += 1;
    const refused = await portaria(['stats'], { PORTARIA_DATABASE: server.url });
    expect(refused).toMatchObject({ code: 4, err: expect.stringContaining('is not finished') as string });
  }

  const [copied] = await rows(['store', 'copy', '--to', server.url], env);
  expect(copied).toMatchObject({ continued: true, rows: { events: EVENTS, deliveries: EVENTS } });
  const back = join(workspace.folder, 'back.db');
  const [returned] = await rows(['store', 'copy', '--to', back], { PORTARIA_DATABASE: server.url });
  expect(returned).toMatchObject({ rows: { events: EVENTS, deliveries: EVENTS } });
  const listed = (database: string) =>
    rows(['deliveries', 'list', '--limit', '1000'], { PORTARIA_DATABASE: database });
  expect(await listed(back)).toEqual(await listed(workspace.database));
  expect((await portaria(['audit', 'verify'], { PORTARIA_DATABASE: back })).code).toBe(0);
  printFigures('killed copies', { killed, events: EVENTS });
  expect(killed).toBe(Object.keys(stages).length);
});
