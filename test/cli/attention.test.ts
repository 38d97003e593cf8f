/** What `doctor`, `stats` and `watch` say of problems that need an operator. */
import Database from 'better-sqlite3';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts';
import { cliEnvironment, company, violation } from './kit/cli-environment.ts';

const HOUR_MS = 3_600_000;
const failing = `export default defineHandler({ name: 'mail', on: 'traffic-violation.*', retry: { attempts: 1 }, handle() { throw new Error('no such CPF 529.982.247-25'); } });`;

/** Records what a running serve would. */
function breaker(cli: ReturnType<typeof cliEnvironment>) {
  return cli.withStore((store) =>
    store.recordMonitoring({
      record: 'breakers',
      open: [{ handler: 'mail', until: cli.clock.now() + 1_000, reason: 'no such CPF 529.982.247-25' }],
      now: cli.clock.now() - HOUR_MS,
    }),
  );
}

describe('doctor', () => {
  test('shows attention as a third state, with a remedy, and ends with 0; with --strict, with 6', async () => {
    const cli = cliEnvironment({ mail: failing });
    await cli.seed([violation(1), '{"broken":']);
    await cli.dispatch();
    await breaker(cli);

    const { code, rows } = await cli.run('doctor', '--json');

    expect(code).toBe(0);
    expect(rows.filter(({ state }) => state === 'attention')).toMatchObject([
      { name: 'no-process', ok: true, detail: expect.stringMatching(/^no process runs: .*portaria serve/) },
      {
        name: 'dead-letters',
        ok: true,
        detail: expect.stringMatching(/^1 delivery of handler mail has failed for good; .*deliveries retry/),
      },
      { name: 'quarantine', detail: expect.stringMatching(/^1 body in quarantine.*quarantine list/) },
      {
        name: 'open-breaker',
        detail: expect.stringMatching(
          /^the breaker of handler mail has been open since 2026-11-21 03:00:00Z \(1 h\): no such CPF <cpf>; repair/,
        ),
      },
    ]);
    const strict = await cli.run('doctor', '--strict');
    expect(strict.code).toBe(6);
    expect(strict.out).toMatch(/^ATTENTION +open-breaker/m);
    expect(strict.out).toMatch(
      /^ok +last received +default: traffic-violation\.created at 2026-11-21 04:00/m,
    );
  });

  test('without anything to look at, --strict ends with 0; a failure goes first', async () => {
    const cli = cliEnvironment();
    // Without a handler, and without a process.
    await cli.seed([violation(1)]);
    expect((await cli.run('doctor', '--strict')).code).toBe(0);
    cli.env['PORTARIA_PORT'] = 'eighty';
    expect((await cli.run('doctor', '--strict')).code).toBe(1);
  });

  test('shows kinds that PORTARIA_EXPECT misses, and warns of a misspelled one', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1)], { receivedAt: cli.clock.now() - 3 * HOUR_MS });
    cli.env['PORTARIA_EXPECT'] = 'traffic-violation.*=2h,charge.craeted=1d';
    const { rows } = await cli.run('doctor', '--json');
    expect(rows.filter(({ state }) => state === 'attention')).toMatchObject([
      {
        name: 'overdue',
        detail: expect.stringMatching(/^the last event of traffic-violation\.\* arrived at/),
      },
    ]);
    expect(rows.filter(({ state }) => state === 'warning')).toMatchObject([
      { name: 'settings', detail: expect.stringContaining('did you mean charge.created?') },
    ]);
  });

  test('says that alerts cannot be delivered, and why', async () => {
    const cli = cliEnvironment();
    await cli.withStore(async (store) => {
      const none = { record: 'problems', begun: [], ended: [], now: cli.clock.now() } as const;
      await store.recordMonitoring({ ...none, alerts: ['one', 'two'] });
      expect((await cli.run('doctor')).out).not.toContain('cannot be delivered');
      await store.recordMonitoring({ record: 'alert-failed', id: 'a1', dueAt: 0, reason: 'status 401' });
      expect((await cli.run('doctor')).out).toMatch(
        /^ATTENTION +alerts +2 messages cannot be delivered \(status 401\)/mu,
      );
    });
  });

  test('shows a low disk, by the setting', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1)]);
    cli.env['PORTARIA_DISK_LOW'] = '0%,999999GiB';
    const { rows } = await cli.run('doctor', '--json');
    expect(rows.filter(({ state }) => state === 'attention')).toMatchObject([
      { name: 'disk-low', detail: expect.stringMatching(/^the disk of the store has \d+ MiB free/) },
    ]);
    cli.env['PORTARIA_DISK_LOW'] = '5';
    expect((await cli.run('doctor')).out).toContain('PORTARIA_DISK_LOW must be a percentage and a size');
  });

  test('does not warn of a custom kind in PORTARIA_EXPECT', async () => {
    const cli = cliEnvironment({
      kinds: `import { defineKind, z } from 'portaria';
export const archived = defineKind('company.archived', { schema: z.object({ id: z.int() }) });
export default defineHandler({ name: 'archive', on: archived, handle() {} });`,
    });
    cli.env['PORTARIA_EXPECT'] = 'company.archived=2h';
    await cli.seed([violation(1)]);
    const { rows } = await cli.run('doctor', '--json');
    expect(rows.filter(({ state }) => state === 'warning')).toEqual([]);
  });

  test('shows a source that has been silent for longer than its own pattern allows', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1)], { receivedAt: cli.clock.now() - 20 * HOUR_MS });
    const lastHour = Math.floor(cli.clock.now() / HOUR_MS) - 21;
    await cli.withStore((store) =>
      store.recordMonitoring({
        record: 'arrivals',
        after: 0,
        through: 1,
        more: false,
        arrivals: Array.from({ length: 4 * 7 * 24 }, (_, at) => ({
          source: 'default',
          kind: 'traffic-violation.created',
          recognized: true,
          hour: lastHour - at,
          events: 10,
          firstReceivedAt: (lastHour - at) * HOUR_MS,
          lastReceivedAt: (lastHour - at) * HOUR_MS,
        })),
      }),
    );
    const { rows } = await cli.run('doctor', '--json');
    expect(rows.filter(({ state }) => state === 'attention')).toMatchObject([
      {
        name: 'silence',
        detail: expect.stringMatching(
          /^no event of source default since .*usually \d+ or more arrive in this time/,
        ),
      },
    ]);
  });
});

describe('stats', () => {
  test('shows open breakers, and the last event of each source and kind', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1)]);
    await cli.seed([violation(2)], { source: 'branch', receivedAt: cli.clock.now() - HOUR_MS });
    await breaker(cli);

    const { rows } = await cli.run('stats', '--json');
    expect(rows[0]).toMatchObject({
      received: [
        {
          source: 'branch',
          kind: 'traffic-violation.created',
          events: 1,
          last_received_at: '2026-11-21T03:00:00.000Z',
        },
        { source: 'default', events: 1 },
      ],
      open_breakers: [{ handler: 'mail', reason: 'no such CPF <cpf>' }],
    });
    const { out } = await cli.run('stats');
    expect(out).toMatch(/^open breakers +mail$/m);
    expect(out).toMatch(/^branch +traffic-violation\.created +1 +2026-11-21 03:00:00Z$/m);
    expect(out).toMatch(/^mail +2026-11-21 03:00:00Z +.*no such CPF <cpf>$/m);
  });
});

describe('stats of outages', () => {
  test('are a table, the newest first', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1)]);
    const store = await openSqliteStore({ path: cli.database, role: 'owner', clock: cli.clock });
    const endedAt = cli.clock.now();
    const outage = { record: 'outage', endedAt } as const;
    const [beforeIt, first] = [endedAt - 1_000, endedAt - 90_000];
    await store.recordMonitoring({ ...outage, cause: 'store', beganAt: first, handler: null, refused: 7 });
    await store.recordMonitoring({
      ...outage,
      cause: 'stalled',
      beganAt: beforeIt,
      handler: 'mail',
      refused: 0,
    });
    await store.close();

    const [statistics] = (await cli.run('stats', '--json')).rows;
    expect(statistics?.['outages']).toEqual([
      {
        cause: 'stalled',
        began_at: '2026-11-21T03:59:59.000Z',
        ended_at: '2026-11-21T04:00:00.000Z',
        handler: 'mail',
        refused: null,
      },
      {
        cause: 'store',
        began_at: '2026-11-21T03:58:30.000Z',
        ended_at: '2026-11-21T04:00:00.000Z',
        handler: null,
        refused: 7,
      },
    ]);
    const { out } = await cli.run('stats');
    expect(out).toMatch(
      /^blocked event loop: mail +2026-11-21 03:59:59Z +2026-11-21 04:00:00Z +–\nthe store could not be written +2026-11-21 03:58:30Z +2026-11-21 04:00:00Z +7$/m,
    );
    const { rows } = await cli.run('doctor', '--json');
    expect(rows.find(({ name }) => name === 'stalled')).toMatchObject({ state: 'attention' });
  });
});

describe('stats of the running processes', () => {
  test('are a table, and nothing when none runs', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1)]);
    expect((await cli.run('stats')).out).not.toContain('in flight');
    const store = await openSqliteStore({ path: cli.database, role: 'owner', clock: cli.clock });
    onTestFinished(() => store.close());
    const about = { id: 'p', host: 'fleet-1', pid: 4711, version: '1.0.0', handlers: [] };
    await store.registerProcess({ ...about, startedAt: cli.clock.now() }, []);

    const { out } = await cli.run('stats');
    expect(out).toMatch(/^process +version +since +last heartbeat +leads +in flight$/im);
    expect(out).toMatch(/^4711 on fleet-1 +1\.0\.0 +2026-11-21 04:00:00Z +yes +0$/m);
    const [statistics] = (await cli.run('stats', '--json')).rows;
    expect(statistics?.['processes']).toMatchObject([{ host: 'fleet-1', seen_at: null, leads: true }]);
  });
});

describe('watch', () => {
  test('prints when a problem begins and when it ends, until Ctrl-C', async () => {
    const cli = cliEnvironment({ mail: failing });
    await cli.seed([violation(1)]);
    await cli.dispatch();

    const { terminal, ended } = cli.begin(['watch', '--every', '1', '--json']);
    await terminal.printed('"began"');
    const [dead] = await cli.withStore((store) =>
      store.deliveries({ status: 'dead' }, { order: 'oldest', limit: 1 }),
    );
    await cli.withStore((store) => store.retryDeliveries([dead?.id ?? ''], cli.clock.now()));
    await terminal.printed('"ended"');
    terminal.interrupt();

    const { code, rows } = await ended;
    expect(code).toBe(0);
    expect(rows).toMatchObject([
      { change: 'began', problem: 'no-process', of: null },
      { change: 'began', problem: 'dead-letters', of: 'mail', at: expect.any(String) },
      { change: 'ended', problem: 'dead-letters', of: 'mail' },
    ]);
    expect(terminal.written.err).toContain('Ctrl-C ends it');
  });

  test('says that it cannot look, and goes on', async () => {
    const cli = cliEnvironment();
    await cli.seed(['{"broken":']);
    const { terminal, ended } = cli.begin(['watch', '--every', '1', '--json']);
    await terminal.printed('"quarantine"');
    const rename = (from: string, to: string) => {
      const database = new Database(cli.database);
      database.exec(`alter table ${from} rename to ${to}`);
      database.close();
    };
    rename('open_breakers', 'gone');
    await terminal.printed('"store-unavailable"');
    rename('gone', 'open_breakers');
    await terminal.printed('"ended"');
    terminal.interrupt();

    const { code, rows } = await ended;
    expect(code).toBe(0);
    expect(rows).toMatchObject([
      { change: 'began', problem: 'quarantine' },
      { change: 'began', problem: 'store-unavailable', summary: expect.stringContaining('cannot look: ') },
      { change: 'ended', problem: 'store-unavailable' },
    ]);
  });

  test('prints the sentence and the remedy on a terminal', async () => {
    const cli = cliEnvironment();
    await cli.seed(['{"broken":']);
    const { terminal, ended } = cli.begin(['watch', '--every', '1']);
    await terminal.printed('began');
    await terminal.printed('quarantine release');
    terminal.interrupt();
    expect((await ended).out).toMatch(/began +quarantine +1 body in quarantine is not handled; see/);
  });

  test.each(['0', 'often', '86401'])('does not take %s for --every', async (every) => {
    const { code, err } = await cliEnvironment().run('watch', '--every', every);
    expect(code).toBe(2);
    expect(err).toContain('Write whole seconds');
  });
});

test('doctor names events that a handler never got, with the replay that mends it', async () => {
  const cli = cliEnvironment({
    log: "export default defineHandler({ name: 'log', on: 'traffic-violation.*', handle() {} });",
  });
  const undelivered = async () =>
    (await cli.run('doctor', '--json')).rows.filter(({ name }) => name === 'undelivered');
  const others = join(cli.folder, 'others');
  mkdirSync(others);
  const bring = (envelope: unknown, ...more: readonly string[]) =>
    cli.begin(['events', 'import', '-', ...more], {
      input: JSON.stringify(envelope),
      env: { PORTARIA_HANDLERS: others },
    }).ended;
  await bring(violation(1));
  await cli.seed([violation(2)]);
  await bring(violation(3), '--no-handlers');
  await bring(company(1, '2026-11-02T00:00:00Z'));
  expect(await undelivered()).toEqual([]);

  await bring(violation(4));
  const [found, ...more] = await undelivered();
  expect(more).toEqual([]);
  expect(found).toMatchObject({ state: 'attention' });
  const detail = String(found?.['detail']);
  expect(detail).toContain('handler log never got 1 event of the newest 20,000');

  await cli.serve();
  const [, ...replay] = /`(.*)`/.exec(detail)?.[1]?.split(' ') ?? [];
  expect(await cli.run(...replay, '--yes')).toMatchObject({ code: 0 });
  expect(await undelivered()).toEqual([]);
  const { rows } = await cli.run('deliveries', 'list', '--json');
  expect(rows.map(({ subject }) => subject)).toContain('traffic-violation:4');
});
