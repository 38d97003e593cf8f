import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliEnvironment, company, violation } from '../kit/cli-environment.ts';
import { recorder } from '../kit/recording-handler.ts';

const OLD = Date.parse('2026-01-01T00:00:00Z');

/** Two old events and a young one, all delivered. */
async function cliWithOldEvents(...more: Parameters<typeof cliEnvironment>) {
  const cli = cliEnvironment(...more);
  await cli.seed([violation(1), company(12, '2025-12-01T00:00:00Z', 'Maria Prado')], { receivedAt: OLD });
  await cli.seed([violation(2)]);
  return cli;
}

const prune = ['events', 'prune', '--older', '90d'] as const;

describe('events prune', () => {
  test('--dry-run counts and changes nothing', async () => {
    const cli = await cliWithOldEvents();

    const { code, rows } = await cli.run(...prune, '--dry-run', '--json');

    expect(code).toBe(0);
    expect(rows).toMatchObject([{ dry_run: true, ended: 'done', events: 2, waiting: 0, given_back: 0 }]);
    expect(rows[0]?.['bytes']).toBeGreaterThan(50);
    expect((await cli.run('events', 'show', '1')).out).toContain('Payload');
  });

  test('removes bodies and headers, and the bytes from the file', async () => {
    const cli = await cliWithOldEvents();
    expect(readFileSync(cli.database).includes('Maria Prado')).toBe(true);

    const { code, out } = await cli.run(...prune, '--yes');

    expect(code).toBe(0);
    expect(out).toMatch(/^2 events \(\d+ B\) pruned\n$/);
    const shown = await cli.run('events', 'show', '2');
    expect(shown.out).toContain('pruned on 2026-11-21 04:00:');
    expect(shown.out).not.toContain('Payload');
    // Closing the last connection copies the log into the file.
    expect(readFileSync(cli.database).includes('Maria Prado')).toBe(false);
    expect((await cli.run('events', 'show', '3')).out).toContain('Payload');
  });

  test('asks before it starts, and needs --yes without a terminal', async () => {
    const cli = await cliWithOldEvents();

    const { code, err } = await cli.run(...prune);

    expect(code).toBe(2);
    expect(err).toContain('2 events');
    expect(err).toContain('add --yes');
    const no = await cli.begin(prune, { interactive: true, input: 'n\n' }).ended;
    expect(no.code).toBe(130);
    const yes = await cli.begin(prune, { interactive: true, input: 'y\n' }).ended;
    expect(yes).toMatchObject({ code: 0 });
    expect(yes.out).toContain('2 events');
  });

  test('keeps what waits, and dead letters until they are discarded', async () => {
    const handler = `export default defineHandler({ name: 'broken', on: '*', retry: { attempts: 1 },
      async handle() { throw new Error('no entry for Maria') } });`;
    const cli = await cliWithOldEvents({ broken: handler });
    expect((await cli.run(...prune, '--yes', '--json')).rows).toMatchObject([{ events: 0, waiting: 2 }]);
    await cli.dispatch();
    expect((await cli.run(...prune, '--yes', '--json')).rows).toMatchObject([{ events: 0, waiting: 2 }]);
    // The deliveries ended now, which becomes old.
    cli.clock.wall += 91 * 24 * 3_600_000;

    const { rows } = await cli.run(...prune, '--deliveries', '--yes', '--json');

    expect(rows).toMatchObject([{ events: 3, deliveries: 3, discarded: 3, waiting: 0 }]);
    const deliveries = await cli.run('deliveries', 'list', '--json');
    expect(deliveries.rows.map(({ status, last_error: error }) => [status, error])).toEqual(
      Array.from({ length: 3 }, () => [
        'skipped',
        'discarded: a dead letter older than the retention of deliveries',
      ]),
    );
  });

  test('keeps what is under a legal hold, and the dry run says so', async () => {
    const cli = await cliWithOldEvents();
    await cli.run('privacy', 'hold', 'add', 'traffic-violation:1', '--reason', 'case 1');

    const planned = await cli.run(...prune, '--dry-run');
    expect(planned.out).toContain('1 event');
    expect(planned.out).toContain('1 old row stays: under a legal hold');
    expect((await cli.run(...prune, '--yes', '--json')).rows).toMatchObject([
      { events: 1, waiting: 0, held_rows: 1 },
    ]);
    expect((await cli.run('events', 'show', '1')).out).toContain('Payload');
  });

  test('an erasure reaches the states that pruned events left', async () => {
    const machine = `import { defineMachine } from 'portaria';
      export default defineMachine({ name: 'seen', on: '*', initial: [],
        evolve: (state, { data }) => [...state, data.tax_id] });`;
    const cli = cliEnvironment();
    writeFileSync(join(cli.handlersFolder, 'seen.mjs'), machine);
    const of = (id: number) => ({
      type: 'traffic-violation.indication.created',
      data: { id, status: 'pending', tax_id: '12345678909' },
    });
    await cli.seed([of(1)], { receivedAt: OLD });
    await cli.dispatch();
    expect((await cli.run(...prune, '--yes', '--json')).rows).toMatchObject([{ events: 1 }]);
    expect(readFileSync(cli.database).includes('12345678909')).toBe(true);

    const erased = await cli.run(
      ...['privacy', 'erase', '12345678909', '--yes', '--reason', 'asked', '--json'],
    );

    expect(erased.rows[0]).toMatchObject({ erased_rows: { event: 0, state: 1, base: 1 }, hits: 0 });
    expect(readFileSync(cli.database).includes('12345678909')).toBe(false);
  });

  test('runs beside an erasure, while a process owns the database', async () => {
    const cli = cliEnvironment();
    const of = (id: number) => ({
      type: 'traffic-violation.indication.created',
      data: { id, status: 'pending', tax_id: '12345678909', name: 'Ana Prado' },
    });
    const numbers = Array.from({ length: 300 }, (_, id) => id + 1);
    await cli.seed(numbers.map(of), { receivedAt: OLD });
    await cli.seed(numbers.map((id) => of(id + 300)));

    await cli.withStore(async (store) => {
      const [pruned, erased] = await Promise.all([
        cli.run(...prune, '--yes', '--json'),
        cli.run('privacy', 'erase', '12345678909', '--yes', '--reason', 'asked', '--json'),
      ]);
      expect([pruned.code, erased.code]).toEqual([0, 0]);
      expect(pruned.rows).toMatchObject([{ events: 300 }]);
      expect(erased.rows).toMatchObject([{ rows_left: 0, hits: 0 }]);
      expect(await store.statistics()).toMatchObject({ events: 600, retention: { events: 300 } });
    });

    const bytes = readFileSync(cli.database, 'latin1');
    expect(bytes).not.toContain('12345678909');
    expect(bytes).not.toContain('Ana Prado');
  });

  test('--quarantine removes old entries, and says afterwards that they are gone', async () => {
    const cli = cliEnvironment();
    await cli.seed(['not json'], { receivedAt: OLD });
    await cli.seed(['not json either']);

    const { rows } = await cli.run(...prune, '--quarantine', '--yes', '--json');

    expect(rows).toMatchObject([{ quarantine: 1 }]);
    expect((await cli.run('quarantine', 'list', '--json')).rows.map(({ id }) => id)).toEqual(['q2']);
    expect((await cli.run('quarantine', 'show', 'q1')).err).toContain('by retention');
  });

  test('repeats, exports and replays cope with pruned events', async () => {
    const cli = await cliWithOldEvents({ log: recorder('log') });
    await cli.dispatch();
    await cli.run(...prune, '--yes');

    await cli.seed([violation(1)]);
    expect((await cli.run('stats', '--json')).rows).toMatchObject([
      { events: 3, repeats: 1, retention: { pruned_events: 2 } },
    ]);
    const exported = await cli.run('events', 'export');
    expect(exported).toMatchObject({ code: 5 });
    expect(exported.err).toContain('1 event exported');
    expect(exported.err).toContain('2 events left out: the body is pruned');
    const plan = await cli.run('replay', '--dry-run');
    expect(plan.out).toContain('1 event of 1 subject (2 pruned events left out)');
    expect((await cli.run('replay', '--dry-run', '--json')).rows).toMatchObject([
      { replay: { events: 1, pruned: 2 } },
    ]);
    expect((await cli.run('replay', '--yes')).code).toBe(0);
    expect((await cli.run('subjects', 'show', 'company:12')).code).toBe(0);
  });

  test('stats and doctor show what was pruned and when serve prunes', async () => {
    const cli = await cliWithOldEvents();
    expect((await cli.run('stats')).out).toMatch(/pruned +nothing; serve prunes nothing by itself/);
    await cli.run(...prune, '--yes');

    expect((await cli.run('stats')).out).toMatch(/oldest body +2026-11-21/);
    const env = { PORTARIA_KEEP_EVENTS: '90d' };
    const { rows } = await cli.begin(['doctor', '--json'], { env }).ended;
    const retention = rows.find(({ name }) => name === 'retention');
    expect(retention).toMatchObject({ ok: true, state: 'attention' });
    expect(retention?.['detail']).toContain('no process prunes');
  });

  test('--older is rejected with an example', async () => {
    const cli = cliEnvironment();
    for (const older of ['90', '0d', 'forever', '3y'])
      expect(await cli.run('events', 'prune', '--older', older)).toMatchObject({
        code: 2,
        err: expect.stringContaining('12h, 90d or 26w') as string,
      });
  });
});
