/**
 * Given three receivers on one PostgreSQL, under load with failing handlers: each is killed in turn, one is
 * stopped until the others have taken over from it, PostgreSQL crashes. Every acknowledged event is stored once and handled at
 * least once, no lane runs twice at once or out of order, and every machine ends in the same state as without
 * faults. An alert tells of the outage while it lasts.
 */
import { test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { startPager } from '../../support/pager.ts';
import { need } from '../kit/needs.ts';
import { createDatabase, postgresOfTest, startReceivers } from '../kit/programs/receivers.ts';

test('faults of three receivers and of PostgreSQL lose, double and reorder nothing', async (context) => {
  need(context, 'postgres');
  const server = await postgresOfTest();
  const { settings, told } = await startPager();
  const receivers = await startReceivers(await createDatabase(server), [settings, settings, settings]);

  await receivers.acknowledgedMore(60);
  for (const place of [0, 1, 2]) {
    await receivers.end(place, 'SIGKILL');
    await receivers.acknowledgedMore(40);
    await receivers.start(place);
  }
  await receivers.freeze(0);
  await receivers.acknowledgedMore(60);
  await server.crash();
  await eventually('the outage is told while it lasts', () => told().includes('began store-unavailable'));
  await server.restart();
  await eventually('its end is told', () => told().includes('ended store-unavailable'));
  await receivers.acknowledgedMore(60);
  // How soon its work is taken over is measured by the test of take-over.
  await receivers.end(2, 'SIGKILL');

  await receivers.finish('three receivers');
});
