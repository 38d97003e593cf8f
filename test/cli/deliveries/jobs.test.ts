import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { violation } from '../kit/cli-environment.ts';
import { cliWithHandledEvents, once, recorder } from '../kit/recording-handler.ts';
import { serving } from '../kit/serving.ts';

/** A handler that fails until the file `mended` exists beside the database. */
const breakable = `
  import { existsSync } from 'node:fs';
  export default defineHandler({ name: 'log', on: '*', ${once}
    handle(event) {
      if (!existsSync(new URL('../mended', import.meta.url))) throw new Error('no order ' + event.subject.id);
    },
  });`;

/** Dead deliveries of `count` subjects, and a serving process. */
async function servingWithDead(count: number) {
  const cli = await serving({}, { handlers: { log: breakable } });
  for (let id = 1; id <= count; id++) {
    const body = JSON.stringify(violation(id, 'a'));
    const { status } = await fetch(cli.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(status).toBe(202);
  }
  await expect
    .poll(async () => (await cli.run('deliveries', 'list', '--status', 'dead', '--json')).rows.length, {
      timeout: 10_000,
    })
    .toBe(count);
  return { ...cli, mend: () => writeFileSync(join(cli.folder, 'mended'), '') };
}

describe('portaria failures', () => {
  test('lists failed deliveries by kind of error, and other commands take the kind', async () => {
    const cli = await cliWithHandledEvents({ log: recorder('log', once) });
    const { code, out } = await cli.run('failures');
    expect(code).toBe(0);
    expect(out).toMatch(/log +Error: always fails +[0-9a-f]{12} +1/u);
    const { rows } = await cli.run('failures', '--json');
    expect(rows).toMatchObject([
      { handler: 'log', kind_of_error: 'Error: always fails', dead: 1, failing: 0, sample: { id: 'd4' } },
    ]);
    const error = String(rows[0]?.['error']);
    const listed = await cli.run('deliveries', 'list', '--error', error, '--json');
    expect(listed.rows.map(({ id }) => id)).toEqual(['d4']);
    expect(await cli.run('deliveries', 'retry', '--error', error)).toMatchObject({ out: '1 retried: d4\n' });
    expect((await cli.run('failures')).out).toBe('No delivery has failed.\n');
  });

  test('counts what is tried again also at 100 columns: a failing handler would show 0', async () => {
    const cli = await cliWithHandledEvents();
    const { out } = await cli.begin(['failures'], { columns: 100 }).ended;
    expect(out).toMatch(/DEAD +TRIED AGAIN/u);
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });

  test('rejects a mistyped handler or kind', async () => {
    const cli = await cliWithHandledEvents();
    expect(await cli.run('failures', '--handler', 'lgo')).toMatchObject({ code: 3 });
    expect((await cli.run('deliveries', 'list', '--error', 'x')).err).toContain('12 hexadecimal digits');
  });
});

describe('a plan', () => {
  test('of a retry says how many, of which handlers and lanes, and changes nothing', async () => {
    const cli = await cliWithHandledEvents();
    const { code, out } = await cli.run('deliveries', 'retry', '--status', 'dead', '--plan');
    expect(code).toBe(0);
    expect(out).toContain('1 dead delivery to retry');
    expect(out).toMatch(/log +1 +1 +0/u);
    const { rows } = await cli.run('deliveries', 'retry', '--status', 'dead', '--plan', '--json');
    expect(rows).toMatchObject([
      { action: 'retry', items: 1, handlers: [{ handler: 'log', items: 1, lanes: 1, retried_before: 0 }] },
    ]);
    expect((await cli.run('jobs', 'list')).out).toContain(
      'No plan was started yet; `deliveries retry --job`',
    );
  });

  test.each([
    ['retry', []],
    ['discard', ['--reason', 'a test']],
  ])('of a %s is all that --dry-run shows, and the audit has no change', async (action, flags) => {
    const cli = await cliWithHandledEvents();
    const args = ['deliveries', action, '--status', 'dead', ...flags];
    for (const flags of [['--dry-run'], ['--plan'], ['--job', '--dry-run', '--yes']]) {
      const { code, out } = await cli.run(...args, ...flags);
      expect([code, out]).toEqual([0, expect.stringContaining(`to ${action}`)]);
    }
    expect((await cli.run('jobs', 'list', '--json')).rows).toEqual([]);
    expect((await cli.run('deliveries', 'list', '--status', 'dead', '--json')).rows).toHaveLength(1);
    const { rows } = await cli.run('audit', 'list', '--json');
    expect(rows.filter((row) => String(row['action']).endsWith('Deliveries'))).toEqual([]);
  });

  test('of a release is all that --dry-run shows', async () => {
    const cli = await cliWithHandledEvents();
    await cli.seed([{ type: 'charge.updated', data: { id: 'x' } }]);
    const { code, out } = await cli.run('quarantine', 'release', '--rate', '5', '--dry-run', '--yes');
    expect(code).toBe(0);
    expect(out).toContain('1 held entry');
    expect((await cli.run('jobs', 'list', '--json')).rows).toEqual([]);
  });

  test('of a release says what the contract lets through now', async () => {
    const cli = await cliWithHandledEvents();
    await cli.seed([
      { type: 'charge.updated', data: { id: 'x' } },
      { type: 'charge.updated', data: { id: 'y' } },
    ]);
    const problems = await cli.run('quarantine', 'problems', '--json');
    expect(problems.rows).toMatchObject([{ kind: 'charge.updated', entries: 2, reason: 'invalid' }]);
    const problem = String(problems.rows[0]?.['problem']);
    const { out } = await cli.run('quarantine', 'release', '--problem', problem, '--plan');
    expect(out).toContain('2 held entries; of 2 tried, 0 match the contract now');
    expect((await cli.run('quarantine', 'list', '--problem', problem, '--json')).rows).toHaveLength(2);
  });

  test('asks before it starts, and waits for a process that serves', async () => {
    const cli = await cliWithHandledEvents();
    const args = ['deliveries', 'retry', '--status', 'dead', '--staged'];
    expect(await cli.run(...args)).toMatchObject({ code: 2 });
    expect(await cli.begin(args, { interactive: true, input: 'n\n' }).ended).toMatchObject({ code: 130 });
    expect((await cli.run('jobs', 'list', '--json')).rows).toEqual([]);

    const { code, err } = await cli.run(...args, '--yes');
    expect(code).toBe(0);
    expect(err).toContain('Job j1');
    expect(err).toContain('the job goes on with');
    expect((await cli.run('jobs', 'show', 'j1')).out).toMatch(/state +running\n/u);
    expect(await cli.run('jobs', 'cancel', 'j1')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^j1 cancelled \(cancelled by ana\), 0 of 1/u) as string,
    });
    expect(await cli.run('jobs', 'cancel', 'j1')).toMatchObject({ code: 2 });
    expect(await cli.run('jobs', 'resume', 'j1', '--json')).toMatchObject({
      code: 0,
      rows: [{ id: 'j1', state: 'running', stage: { number: 2, size: 1 } }],
    });
    expect(await cli.run('jobs', 'show', 'j9')).toMatchObject({ code: 3 });
  });

  test.each([
    [['--rate', '0'], 'above 0'],
    [['--stop-at', '120%'], 'a share of 0% to 100%'],
  ])('with %j says which values are valid', async (flags, hint) => {
    const cli = await cliWithHandledEvents();
    const { code, err } = await cli.run('deliveries', 'retry', '--status', 'dead', ...flags);
    expect(code).toBe(2);
    expect(err).toContain(hint);
  });

  test('to discard needs a reason to start', async () => {
    const cli = await cliWithHandledEvents();
    const { err } = await cli.run('deliveries', 'discard', '--status', 'dead', '--job');
    expect(err).toContain('Add --reason');
  });
});

describe('beside a process that serves, a job', () => {
  test('stops when a stage fails, and goes on once the cause is mended', async () => {
    const cli = await servingWithDead(12);
    const args = ['deliveries', 'retry', '--handler', 'log', '--staged', '--stop-at', '10%', '--yes'];
    const stopped = await cli.run(...args);
    expect(stopped).toMatchObject({ code: 5, out: 'j1 stopped (1 of 1 failed), 1 of 12: 1 failed\n' });
    expect(stopped.err).toContain('jobs resume j1');
    expect((await cli.run('jobs', 'show', 'j1')).out).toMatch(/no order 1/u);

    cli.mend();
    await cli.run('deliveries', 'retry', 'd1', 'd2');
    await cli.run('jobs', 'resume', 'j1');
    const { rows } = await cli.run('jobs', 'show', 'j1', '--watch', '--json');
    expect(rows).toMatchObject([{ state: 'finished', failed: 1, succeeded: 10, left_alone: 1 }]);
    const { out } = await cli.run('jobs', 'show', 'j1');
    expect(out).toMatch(/0 of 1 succeeded, then 1 of 1 succeeded, then /u);
    expect(out).toMatch(
      /Failed\n.*\nd1 .*no order 1[^]*needed it no longer\n.*\nd2 .* (?:succeeded|retrying) /u,
    );
  });

  test('discards with a reason', async () => {
    const cli = await servingWithDead(3);
    const args = ['deliveries', 'discard', '--handler', 'log', '--job', '--reason', 'a test', '--yes'];
    expect(await cli.run(...args)).toMatchObject({ code: 0, out: 'j1 finished, 3 of 3: 3 skipped\n' });
    const { rows } = await cli.run('deliveries', 'list', '--status', 'skipped', '--json');
    expect(rows).toMatchObject(
      Array.from({ length: 3 }, () => ({
        last_error: expect.stringMatching(/^discarded by ana@\S+ at \S+: a test; before: /u) as string,
      })),
    );
  });
});
