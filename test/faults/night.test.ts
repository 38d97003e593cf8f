/**
 * Nights in which Portaria itself, its store or its operator is what fails. What the four that an operator hears say of
 * each incident (`doctor`, alerts, the log and the console) is compared with what was true, and so is what they say once
 * it is mended. Nothing that was acknowledged is lost.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { launchProgram } from '../support/launch-program.ts';
import { startPager } from '../support/pager.ts';
import { portaria, serve } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';
import { writeBooking } from './kit/booking.ts';
import { countWork, expectWholeWork } from './kit/count-work.ts';
import { mountSmallDisk, usedBytes } from './kit/disk/small-disk.ts';
import { printFigures } from './kit/figures.ts';
import { need } from './kit/needs.ts';
import { preloaded } from './kit/programs/preloaded.ts';
import { createDatabase, postgresOfTest, query, startReceivers } from './kit/programs/receivers.ts';
import { watchNight } from './kit/said.ts';
import { createSenders } from './kit/senders/senders.ts';
import { chargeBody, charges } from './kit/senders/webhooks.ts';
import { allHandled, statisticsOf } from './kit/statistics.ts';

/** Few webhooks: a night is long. */
const SUBJECTS = 2;
const BLOCKING = 99;

/** An outage that lasts so many milliseconds is a problem. */
const NEEDS_OPERATOR_MS = 10_000;
/** What is left of a disk before it is filled: files grow while it shrinks. */
const LEFT_BYTES = 2 ** 20;

/** What the log says of a store that fails, beside the problem. */
const OUTAGE = /^(?:dispatch|webhook|watch)\.failed: |^webhook.responded: |line: [Tt]he /u;
/** What it says when one receiver has PostgreSQL again so long before the other that it takes its deliveries over. */
const TAKEN_OVER = /^dispatch.recovered: |^lease.lost: /u;
/** What it says of what was under way when a process ended. */
const RESTART = /^dispatch.recovered: |webhook stopping: status 503/u;

/** Settings with which a receiver looks for problems every two seconds, not once a minute: the order of what it says is the same. */
const quickLooks = () =>
  preloaded(
    createWorkspace(),
    'quick-looks',
    'const { setTimeout } = globalThis; globalThis.setTimeout = (call, ms, ...rest) => setTimeout(call, ms === 60_000 ? 2_000 : ms, ...rest);',
  );

const mail = (statement: string) => `
import { defineHandler } from 'portaria';
const sleep = new Int32Array(new SharedArrayBuffer(4));
export default defineHandler({ name: 'mail', on: 'charge.*', handle({ data }) { ${statement} } });`;

test('on PostgreSQL: a handler blocks, PostgreSQL is away, and all receivers are dead', async (context) => {
  need(context, 'postgres');
  const pager = await startPager();
  const server = await postgresOfTest();
  const database = await createDatabase(server);
  const settings = { ...pager.settings, PORTARIA_STALL_TIMEOUT_MS: '5000' };
  const receiver = { ...settings, ...quickLooks() };
  const receivers = await startReceivers(database, [receiver, receiver], {
    subjects: SUBJECTS,
    handlers: { 'mail.ts': mail(`while (data.id === ${String(BLOCKING)}) Atomics.wait(sleep, 0, 0, 10);`) },
  });
  const { workspace, senders } = receivers;
  const env = { PORTARIA_DATABASE: database, PORTARIA_HANDLERS: workspace.handlers, ...settings };
  const night = watchNight({ pager, env, running: () => receivers.running });
  await receivers.acknowledgedMore(4);

  /** Each process finds out by itself that it cannot write, and that it can again: one may be seconds later. */
  const bothSay = (change: 'began' | 'ended') =>
    eventually(`both say that it ${change}`, () => {
      const alerts = pager.told().filter((said) => said === `${change} store-unavailable`);
      const isLogged = new RegExp(`"problem[.]${change}".*has not been able to write`, 'u');
      return alerts.length === 2 && receivers.running.every(({ written }) => isLogged.test(written()));
    });

  /** Starts a receiver again whenever its watchdog has ended it. */
  async function supervise(place: number): Promise<void> {
    while ((await receivers.at(place).ended).code === 70) {
      night.keep(receivers.at(place));
      await receivers.end(place, 'SIGKILL');
      // The event may end it again before it is ready.
      await receivers.start(place).catch(() => receivers.start(place));
    }
  }
  const supervised = Promise.all([supervise(0), supervise(1)]);

  const response = await receivers.at(0).post(JSON.parse(chargeBody(BLOCKING, 1)));
  const stalled = new RegExp(
    `^process.stalled: .*handler mail, event ${String(response.body['id'])}, attempt`,
  );
  await night.expectSaid(
    'handler mail blocks the event loop, and its delivery is a dead letter',
    {
      alerts: ['began stalled', 'began dead-letters'],
      log: [
        stalled,
        /^problem.began: .*handler mail has blocked the event loop \d+ times?/,
        /^problem.began: .*1 delivery of handler mail/,
      ],
      doctor: [
        'exit 6',
        /^attention stalled: handler mail has blocked the event loop \d+ times? within an hour/,
        /^attention dead-letters: 1 delivery of handler mail has failed for good/,
      ],
      console: [
        '200 2 things need you',
        /^1 delivery to mail failed\..*the event loop did not turn.*mail.ts/,
        /^Handler mail has blocked the event loop \d+ times? within an hour/,
      ],
    },
    RESTART,
  );

  workspace.writeHandler('mail.ts', mail(''));
  await eventually('both run', () => receivers.running.length === 2);
  for (const place of [0, 1]) {
    await receivers.end(place, 'SIGTERM');
    await receivers.start(place);
  }
  await supervised;
  expect(await portaria(['deliveries', 'retry', '--handler', 'mail', '--status', 'dead'], env)).toMatchObject(
    { code: 0 },
  );
  await allHandled(receivers.at(0));
  await query(database, 'update outages set began_at = began_at - 3600000, ended_at = ended_at - 3600000');
  await night.expectSaid(
    'the handler is mended, the dead letter retried, and nothing has blocked for an hour',
    {
      alerts: ['ended stalled', 'ended dead-letters'],
      log: [
        /^problem.ended: .*handler mail has blocked the event loop \d+ times?/,
        /^problem.ended: .*1 delivery of handler mail/,
      ],
      doctor: ['exit 0'],
      console: ['200 Nothing needs you'],
    },
    RESTART,
  );

  const refused = () => senders.rejections.get(503) ?? 0;
  const refusedBefore = refused();
  const leftAt = performance.now();
  await server.crash();
  await bothSay('began');
  await night.expectSaid(
    'PostgreSQL is away',
    {
      alerts: ['began store-unavailable'],
      log: [/^problem.began: .*has not been able to write/],
      doctor: ['exit 1', /^failing database: .*PostgreSQL cannot be reached/],
      console: [/^503 This did not work .*PostgreSQL cannot be reached/],
    },
    OUTAGE,
  );
  const refusedThen = refused() - refusedBefore;
  await server.restart();
  await receivers.acknowledgedMore(4);
  await bothSay('ended');
  await night.expectSaid(
    'PostgreSQL is back',
    {
      alerts: ['ended store-unavailable'],
      log: [/^store.back: /, /^problem.ended: .*has not been able to write/],
      doctor: ['exit 0'],
      console: ['200 Nothing needs you'],
    },
    new RegExp(`${OUTAGE.source}|${TAKEN_OVER.source}`, 'u'),
  );
  // What the two logs say together is what the senders saw.
  const said = night.outages();
  const saidRefused = said.reduce((sum, one) => sum + one.refused, 0);
  printFigures('503 during the outage', { said: saidRefused, got: refused() - refusedBefore });
  expect(saidRefused).toBeGreaterThanOrEqual(refusedThen);
  expect(saidRefused).toBeLessThanOrEqual(refused() - refusedBefore);
  await eventually('stats have it as one outage', async () => {
    const { outages } = await statisticsOf(receivers.at(0));
    const away = outages.filter(({ cause }) => cause === 'store');
    return away.length === 1 && away[0]?.refused === saidRefused;
  });
  const lastedMs = performance.now() - leftAt;
  expect(said.map(({ away_ms: ms }) => ms >= NEEDS_OPERATOR_MS && ms <= lastedMs)).toEqual([true, true]);

  const watch = launchProgram(['watch', '--every', '1', '--json'], env);
  night.hear(watch);
  for (const place of [0, 1]) await receivers.end(place, 'SIGKILL');
  await night.expectSaid('all receivers are dead', {
    alerts: ['watch: began no-process'],
    log: [],
    doctor: ['exit 6', /^attention no-process: no process runs/],
    console: ['no process answers'],
  });

  for (const place of [0, 1]) await receivers.start(place);
  await receivers.acknowledgedMore(4);
  await night.expectSaid(
    'the receivers run again',
    {
      alerts: ['watch: ended no-process'],
      log: [],
      doctor: ['exit 0'],
      console: ['200 Nothing needs you'],
    },
    RESTART,
  );
  watch.child.kill('SIGINT');
  await receivers.finish('a night on PostgreSQL');
});

test('on SQLite: the disk is full', async (context) => {
  need(context, 'mount');
  const pager = await startPager();
  const workspace = createWorkspace();
  writeBooking(workspace);
  const disk = mountSmallDisk(join(workspace.folder, 'disk'), 'size=1g');
  const database = join(disk.folder, 'portaria.db');
  const env = {
    PORTARIA_DATABASE: database,
    PORTARIA_HANDLERS: workspace.handlers,
    PORTARIA_DISK_LOW: '10%,600MiB',
    ...pager.settings,
  };
  const running = await serve({ ...env, ...quickLooks() });
  const night = watchNight({ pager, env, running: () => [running] });
  const senders = createSenders([charges(1), charges(2)], 1_000);
  const sending = senders.sendThrough(() => running.url);
  const acknowledgedMore = (webhooks: number): Promise<unknown> => {
    const enough = senders.acknowledged.size + webhooks;
    return eventually('more is acknowledged', () => senders.acknowledged.size >= enough);
  };

  disk.remount('size=500m');
  await acknowledgedMore(2);
  await night.expectSaid('the disk is nearly full', {
    alerts: ['began disk-low'],
    log: [/^problem.began: .*MiB free/],
    doctor: ['exit 6', /^attention disk-low: .*MiB free/],
    console: ['200 1 thing needs you', /^The disk of the store has .*MiB free/],
  });

  disk.remount(`size=${String(usedBytes(disk.folder) + LEFT_BYTES)}`);
  expect(() => {
    writeFileSync(join(disk.folder, 'filler'), Buffer.alloc(2 * LEFT_BYTES));
  }).toThrow('ENOSPC');
  await night.expectSaid(
    'the disk is full',
    {
      alerts: ['began store-unavailable'],
      log: [/^problem.began: .*has not been able to write/],
      doctor: [
        'exit 1',
        /^failing writing: .*the disk is full: make room/,
        /^failing disk: 0 MiB free: make room/,
        /^attention disk-low: .* has 0 MiB free/,
      ],
      console: [
        '200 2 things need you',
        /^Webhooks are rejected: the store cannot be written/,
        /^The disk of the store has 0 MiB free/,
      ],
    },
    OUTAGE,
  );

  disk.remount('size=1g');
  await acknowledgedMore(2);
  await night.expectSaid(
    'the disk has room',
    {
      alerts: ['ended store-unavailable', 'ended disk-low'],
      log: [/^store.back/, /^problem.ended: .*has not been/, /^problem.ended: .*MiB free/],
      doctor: ['exit 0'],
      console: ['200 Nothing needs you'],
    },
    OUTAGE,
  );
  const [outage] = night.outages();
  printFigures('503 on the full disk', { said: outage?.refused ?? 0, got: senders.rejections.get(503) ?? 0 });
  expect(outage?.refused).toBe(senders.rejections.get(503));

  senders.stop();
  await sending;
  await allHandled(running);
  expectWholeWork('a night on SQLite', await countWork(workspace, senders, database));
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0 });
});
