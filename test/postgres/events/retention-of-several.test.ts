/** The settings of retention in several receivers of one database: the one that leads prunes, then its successor. */
import { expect, onTestFinished, test } from 'vitest';
import { createPortaria } from '../../../src/compose.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { defineHandler } from '../../../src/handle/define/handler.ts';
import { GiveUp } from '../../../src/handle/define/outcome.ts';
import type { Logger } from '../../../src/kernel/logger.ts';
import type { Clock } from '../../../src/kernel/time/clock.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/kernel/time/durations.ts';
import { HEARTBEAT_MS } from '../../../src/store/postgres/database/connections/lease.ts';
import { manualClock } from '../../../src/testing/manual-clock.ts';
import { eventually } from '../../support/eventually.ts';
import { connected } from '../kit/empty-database.ts';
import { databaseOfStore } from '../kit/postgres-places.ts';

/** The shortest of the periods decides that a run follows every two and a half minutes. */
const PERIODS = {
  PORTARIA_KEEP_EVENTS: '7d',
  PORTARIA_KEEP_QUARANTINE: '1h',
  PORTARIA_KEEP_DELIVERIES: '2d',
  PORTARIA_KEEP_AUDIT: '3d',
};
const BETWEEN_RUNS_MS = 2.5 * MINUTE_MS;
/** Enough for two runs with their pauses. */
const MAX_STEPS = (4 * BETWEEN_RUNS_MS) / HEARTBEAT_MS;
/** Longer than all periods, and the rest of a day. */
const LONG_MS = 9 * DAY_MS;

/** Leaves a dead letter of each event. */
const handlers = [
  defineHandler({
    name: 'rejecting',
    on: 'charge.*',
    handle() {
      throw new GiveUp('the account is closed');
    },
  }),
];

/** Two receivers of a database, each with a clock of its own that shows the same time; the first one leads. */
async function startTwo() {
  const database = await databaseOfStore();
  const client = await connected(database);
  const first = await startOne(database);
  const second = await startOne(database);

  return {
    first,
    second,
    days: async () =>
      (await client.query("select from pg_inherits where inhparent = 'event_contents'::regclass")).rowCount,
    /**
     * Lets time pass for these receivers until one of them has had a run. After each step each of them has had its
     * heartbeat, so none loses its lease.
     */
    async passUntilRun(...receivers: readonly Receiver[]) {
      const runs = () => receivers.flatMap((receiver) => receiver.runs).length;
      const had = runs();
      for (let steps = 0; runs() === had; steps += 1) {
        if (steps > MAX_STEPS) throw new Error('no run has ended');
        const beats = receivers.map(({ heartbeats }) => heartbeats());
        for (const { clock } of receivers) clock.advance(HEARTBEAT_MS);
        await eventually('each receiver has had a heartbeat', () =>
          receivers.every(({ heartbeats }, at) => heartbeats() > (beats[at] ?? 0)),
        );
      }
    },
  };
}

type Receiver = Awaited<ReturnType<typeof startOne>>;

async function startOne(database: string) {
  const clock = manualClock();
  // The timer for the next heartbeat is set when the last one has been answered.
  let heartbeats = 0;
  const counting: Clock = {
    ...clock,
    after(ms, callback) {
      if (ms === HEARTBEAT_MS) heartbeats += 1;
      return clock.after(ms, callback);
    },
  };
  const settings = {
    ...{ PORTARIA_DATABASE: database, PORTARIA_PORT: '0', PORTARIA_OPS_PORT: '0' },
    ...{ PORTARIA_LOG_LEVEL: 'silent', ...PERIODS },
  };
  const runs: string[] = [];
  const line: Logger['info'] = (_fields, message) => {
    if (message.startsWith('retention ')) runs.push(message);
  };
  const log: Logger = { debug: line, info: line, warn: line, error: line, child: () => log };
  const portaria = await createPortaria({
    config: loadConfig(settings, '/'),
    handlers,
    clock: counting,
    log,
  });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= portaria.stop());
  onTestFinished(stop);
  const { port, opsPort } = await portaria.start();
  const [webhooks, operators] = [`http://127.0.0.1:${String(port)}`, `http://127.0.0.1:${String(opsPort)}`];
  return {
    ...{ clock, stop, store: portaria.store },
    heartbeats: () => heartbeats,
    /** The lines of this receiver's log about its own runs of retention. */
    runs,
    /** Receives an event and a body for the quarantine. Who reads the event's body gets into the audit. */
    async receive(id: number) {
      const post = (body: string) => fetch(`${webhooks}/webhooks`, { method: 'POST', body });
      const charge = { type: 'charge.created', data: { id, type: 'fee', status: 'paid' } };
      const response = await post(JSON.stringify(charge));
      expect(response.status).toBe(202);
      expect((await post(`not json ${String(id)}`)).status).toBe(400);
      const { id: event } = (await response.json()) as { id: string };
      const body = await fetch(`${operators}/api/events/${event}/body?unmask=true`);
      expect(body.status).toBe(200);
      await eventually('the event is handled', async () => {
        const { pending, running } = (await portaria.store.statistics()).deliveries;
        return pending + running === 0;
      });
    },
  };
}

const PRUNED =
  /^retention pruned 1 events, 1 quarantine entries and 1 deliveries \(1 dead letters discarded\);/u;

test.each([
  ['ends', (leader: Receiver) => leader.stop()],
  // Its time stands still: no heartbeat, and no end.
  ['freezes', async () => undefined],
] as const)('only the leader prunes, and another receiver once it %s', async (_, leave) => {
  const { first, second, days, passUntilRun } = await startTwo();
  await second.receive(1);
  const [record] = await second.store.audit({}, { order: 'oldest', limit: 9 });
  expect(record).toMatchObject({ action: 'showEventBody' });

  for (const { clock } of [first, second]) clock.jump(LONG_MS);
  await passUntilRun(first, second);
  expect([first.store.leads(), second.store.leads()]).toEqual([true, false]);
  expect(first.runs).toEqual([expect.stringMatching(PRUNED)]);
  expect((await second.store.totals()).retention).toMatchObject({
    ...{ events: 1, quarantine: 1, deliveries: 1, oldestBodyAt: null },
  });
  expect(await days()).toBe(0);
  expect(await second.store.checkAudit()).toMatchObject({ prunedThrough: record?.id, problems: [] });

  await second.receive(2);
  await leave(first);
  second.clock.jump(LONG_MS);
  await passUntilRun(second);
  expect(second.store.leads()).toBe(true);
  expect(second.runs).toEqual([expect.stringMatching(PRUNED)]);
  expect((await second.store.totals()).retention).toMatchObject({
    ...{ events: 2, quarantine: 2, deliveries: 2, oldestBodyAt: null },
  });
  expect(first.runs).toHaveLength(1);
});
