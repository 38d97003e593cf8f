/** The command line beside an application that embeds the library, whose handlers no folder holds. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createPortaria } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { defineMachine } from '../../src/handle/define/machine.ts';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { eventually } from '../support/eventually.ts';
import { cliEnvironment, violation } from './kit/cli-environment.ts';
import { createReplay } from '../support/replay-job.ts';

/** Starts an application with a handler and a machine of its own. The folder has the handler `folder-only`. */
async function besideAnApplication() {
  const cli = cliEnvironment({
    folder: "export default defineHandler({ name: 'folder-only', on: '*', handle() {} });",
  });
  const handled: string[] = [];
  const fines = defineHandler({
    name: 'fines',
    on: 'traffic-violation.*',
    handle: ({ data }, { replay }) =>
      handled.push(`${String((data as { id?: number }).id)} ${String(replay)}`),
  });
  const count = defineMachine({
    name: 'fine-count',
    on: 'traffic-violation.*',
    initial: 0,
    evolve: (seen) => seen + 1,
  });
  const env = { ...cli.env, PORTARIA_LOG_LEVEL: 'silent' };
  const application = await createPortaria({
    config: loadConfig(env, cli.folder),
    handlers: [fines, count],
    clock: { ...systemClock, now: () => cli.clock.now() },
  });
  onTestFinished(() => application.stop());
  await application.dispatcher.start();
  return { cli, application, handled, post: (id: number) => post(application, id) };
}

async function post({ app }: Awaited<ReturnType<typeof createPortaria>>, id: number): Promise<void> {
  const response = await app.request('http://localhost/webhooks', {
    method: 'POST',
    body: JSON.stringify(violation(id)),
    headers: { 'content-type': 'application/json' },
  });
  expect(response.status).toBe(202);
}

test('doctor reports a handlers folder that cannot be loaded as a failure of the handlers alone', async () => {
  const { cli } = await besideAnApplication();
  writeFileSync(join(cli.handlersFolder, 'broken.mjs'), 'export default {');
  const { code, rows } = await cli.run('doctor', '--json');
  expect(code).toBe(1);
  expect(rows.filter(({ ok }) => ok === false).map(({ name }) => name)).toEqual(['handlers']);
  expect(rows).toContainEqual(expect.objectContaining({ name: 'database', ok: true }));
});

test('handlers list shows its handlers and says whose they are; --local shows those of the folder', async () => {
  const { cli } = await besideAnApplication();

  const running = await cli.run('handlers', 'list');
  expect(running.out).toMatch(/^fines +handler +traffic-violation\.\* +subject/m);
  expect(running.out).toMatch(/^fine-count +machine/m);
  expect(running.out).not.toContain('folder-only');
  expect(running.err).toMatch(/^Handlers of the running process \d+ on \S+ \(Portaria 1\.0\.0\)\.$/m);

  const { rows } = await cli.run('handlers', 'list', '--json', '--kind', 'traffic-violation.created');
  expect(rows).toEqual([
    { kind: 'traffic-violation.created', covered: true, handlers: ['fines', 'fine-count'] },
  ]);
  const local = await cli.run('handlers', 'list', '--local');
  expect(local.out).toContain('folder-only');
  expect(local.err).toBe('');
});

test('replay runs its handlers, and rejects one that it does not have', async () => {
  const { cli, handled, post } = await besideAnApplication();
  await post(1);
  await eventually('the first delivery has run', () => handled.length === 1);

  const replay = await cli.run('replay', '--yes', '--handler', 'fines');
  expect(replay).toMatchObject({ code: 0, out: expect.stringContaining('1 succeeded') as string });
  expect(handled).toEqual(['1 false', '1 true']);

  const whole = await cli.run('replay', '--dry-run', '--json');
  expect(whole.rows[0]).toMatchObject({ handlers: [{ handler: 'fines' }, { handler: 'fine-count' }] });

  const wrong = await cli.run('replay', '--yes', '--handler', 'folder-only');
  expect(wrong.code).toBe(3);
  expect(wrong.err).toMatch(
    /there is no handler folder-only; the handlers of the running process .* are fines, fine-count/,
  );
});

test('doctor names its handlers and knows that they run', async () => {
  const { cli, application } = await besideAnApplication();
  await application.dispatcher.stop(0);
  await post(application, 1);

  const { rows, code } = await cli.run('doctor', '--json');

  expect(code).toBe(0);
  expect(rows.filter(({ name }) => name === 'handlers').map(({ detail }) => detail)).toEqual([
    expect.stringMatching(/^of the running process \d+ on .*: fines, fine-count; \d+ kinds have no handler/),
    expect.stringMatching(/^of PORTARIA_HANDLERS: folder-only; every kind has a handler/),
  ]);
  expect(rows.filter(({ name, warning }) => name === 'deliveries' && warning === true)).toEqual([]);
});

test('events that the command line stores go to its handlers', async () => {
  const { cli, handled } = await besideAnApplication();
  const { ended } = cli.begin(['events', 'import', '-'], { input: JSON.stringify(violation(8)) });
  expect(await ended).toMatchObject({ code: 0 });

  await eventually('the application has handled it', () => handled.includes('8 false'));
  const { rows } = await cli.run('deliveries', 'list', '--json');
  expect(rows.map(({ handler }) => handler).sort()).toEqual(['fine-count', 'fines']);
});

describe('--handler', () => {
  test('rejects a name that nobody has, and suggests one', async () => {
    const { cli } = await besideAnApplication();
    for (const args of [
      ['deliveries', 'list'],
      ['deliveries', 'retry', '--status', 'dead'],
      ['handlers', 'list'],
    ]) {
      const { code, err } = await cli.run(...args, '--handler', 'fine');
      expect(code, args.join(' ')).toBe(3);
      expect(err).toContain('there is no handler fine; the handlers of the running process');
      expect(err).toContain('did you mean fines?');
    }
  });

  test('accepts a handler that is gone and has deliveries', async () => {
    const { cli, application, handled, post } = await besideAnApplication();
    await post(1);
    await eventually('the delivery has run', () => handled.length === 1);
    await application.stop();

    const { code, rows } = await cli.run('deliveries', 'list', '--json', '--handler', 'fines');
    expect(code).toBe(0);
    expect(rows).toHaveLength(1);
  });
});

test('machines rebuild says where the code of its machine is', async () => {
  const { cli } = await besideAnApplication();
  const { code, err } = await cli.run('machines', 'rebuild', 'fine-count');
  expect(code).toBe(2);
  expect(err).toMatch(
    /fine-count is a machine of the running process .* set PORTARIA_HANDLERS to the folder/,
  );
});

test('once it has stopped, the handlers are those of the folder again', async () => {
  const { cli, application, handled, post } = await besideAnApplication();
  await post(1);
  await eventually('the delivery has run', () => handled.length === 1);
  await application.stop();

  const { out, err } = await cli.run('handlers', 'list');
  expect(out).toContain('folder-only');
  expect(err).toBe('');
});

test('a replay for its handlers stops where they are missing: it would end without a call', async () => {
  const { cli, application, post } = await besideAnApplication();
  await post(1);
  await createReplay(application.store, { handlers: ['fines'] }, cli.clock.now());
  await application.stop();

  await cli.serve();
  await eventually('the job has stopped', async () => {
    const { out } = await cli.run('jobs', 'show', 'j1');
    return out.includes('stopped');
  });
  expect((await cli.run('jobs', 'show', 'j1')).out).toContain('stopped (this process has no handler fines)');
});
