/** Given `store copy` killed while it copies and while it compares: the database is empty, and the next run copies all. */
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { launchProgram } from '../../support/launch-program.ts';
import { portaria, rows } from '../../support/running-portaria.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { createWorkspace } from '../../support/workspace.ts';
import { printFigures } from '../kit/figures.ts';
import { fillDatabase } from '../kit/filled-store.ts';
import { need } from '../kit/needs.ts';
import { createDatabase, postgresOfTest, query } from '../kit/programs/receivers.ts';
import { chargeBody } from '../kit/senders/webhooks.ts';

/** A few pages. */
const EVENTS = 3_000;

test('a copy to PostgreSQL that is killed at any stage is no store, and the next one is whole', async (context) => {
  need(context, 'postgres');
  const database = await createDatabase(await postgresOfTest(), 'copied');
  const workspace = createWorkspace();
  const bodies = Array.from({ length: EVENTS }, (_, id) => chargeBody(id, 1));
  await fillDatabase(workspace.database, bodies, [{ handler: 'one', order: 'subject', stale: false }]);
  const copy = ['store', 'copy', '--from', workspace.database];

  const stages = ['insert into events ', 'fetch', 'analyze; commit'];
  for (const stage of stages) {
    const network = await startTcpProxy(database);
    let reached = false;
    network.onRequest((packet) => {
      reached ||= packet.includes(stage);
      return reached ? 'hold' : 'pass';
    });
    const run = launchProgram(copy, { PORTARIA_DATABASE: network.through(database) });
    await eventually(`the copy has reached ${stage}`, () => reached);
    const refused = await portaria(['serve'], { PORTARIA_DATABASE: database });
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining('is being copied into') as string,
    });

    run.child.kill('SIGKILL');
    expect((await run.ended).signal).toBe('SIGKILL');
    network.cut();
    await eventually('the server has noticed', async () => {
      const left = await query(
        database,
        "select from pg_stat_activity where application_name like 'portaria copy%'",
      );
      return left.length === 0;
    });
    const tables = await query(database, "select from pg_class where relnamespace = 'public'::regnamespace");
    expect(tables, stage).toEqual([]);
  }

  const env = { PORTARIA_DATABASE: database };
  const [copied] = await rows(copy, env);
  expect(copied).toMatchObject({ rows: { events: EVENTS, deliveries: EVENTS } });
  const listed = (from: string) =>
    rows(['deliveries', 'list', '--limit', '1000'], { PORTARIA_DATABASE: from });
  expect(await listed(database)).toEqual(await listed(workspace.database));
  expect((await portaria(['audit', 'verify'], env)).code).toBe(0);
  printFigures('killed copies', { killed: stages.length, events: EVENTS });
});
