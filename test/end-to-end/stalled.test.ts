/** A handler that blocks the event loop: the watchdog ends the process, and the delivery is a dead letter the second time. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { launchNode } from '../support/launch-program.ts';
import { charge } from '../support/webhooks/envelopes.ts';
import { startPager } from '../support/pager.ts';
import { rows, serve, type RunningPortaria } from '../support/running-portaria.ts';
import { recording, createWorkspace, type Workspace } from '../support/workspace.ts';

const builtLibrary = fileURLToPath(new URL('../../dist/src/index.js', import.meta.url));

/** Blocks on charge 1, and records what else it gets. */
const blocking = (workspace: Workspace, statement: string) => `${recording(workspace)}
  export default defineHandler({
    name: 'blocking',
    on: 'charge.*',
    async handle({ data }, { signal, log }) {
      record('begin ' + data.id);
      if (data.id === 1) { ${statement} }
      record('end ' + data.id);
    },
  });`;

const environment = ({ database, handlers }: Workspace) => ({
  PORTARIA_DATABASE: database,
  PORTARIA_HANDLERS: handlers,
  PORTARIA_STALL_TIMEOUT_MS: '1000',
});

/** Starts a receiver whose handler runs a statement on charge 1, and sends that. */
async function serveBlocking(statement: string, settings: Readonly<Record<string, string>> = {}) {
  const workspace = createWorkspace();
  workspace.writeHandler('blocking.ts', blocking(workspace, statement));
  const env = { ...environment(workspace), ...settings };
  const running = await serve(env);
  // The handler may block before the response has left.
  await running.post(charge(1, 1)).catch(() => undefined);
  const begun = () => eventually('the handler runs', () => workspace.recorded().includes('begin 1'));
  return { workspace, env, running, begun };
}

/** Blocks in JavaScript, for ever if repeated, and leaves the processor to others. */
const sleep = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);';

/** Blocks in JavaScript until the test opens the gate. */
const untilGate = `while (!existsSync(join(folder, 'gate'))) ${sleep}`;

/** No stall ends the process, and its grace is short. */
const patient = { PORTARIA_STALL_TIMEOUT_MS: '600000', PORTARIA_SHUTDOWN_GRACE_MS: '1000' };

/** Whether SIGTERM, the fifteenth signal, has another action than its default one (Linux only). */
function catchesSigterm({ pid }: RunningPortaria): boolean {
  const caught = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1];
  return ((BigInt(`0x${caught ?? '0'}`) >> 14n) & 1n) === 1n;
}

/** The log line of the watchdog. */
function stalledLine(running: RunningPortaria): Readonly<Record<string, unknown>> {
  const lines = running
    .written()
    .split('\n')
    .filter((line) => line.includes('"process.stalled"'));
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? '') as Record<string, unknown>;
}

test('a handler that loops for ever ends the process twice, then its event is a dead letter', async () => {
  const { workspace, env, running: first } = await serveBlocking('for (;;) {}');
  expect(await first.ended).toMatchObject({ code: 70 });
  expect(stalledLine(first)).toMatchObject({
    level: 50,
    handler: 'blocking',
    attempt: 1,
    event: expect.stringMatching(/-1$/) as string,
    stack: expect.arrayContaining([expect.stringContaining('blocking.ts:')]) as string[],
  });
  const [pending] = await rows(['deliveries', 'list'], env);
  expect(pending).toMatchObject({ status: 'pending', attempts: 1 });
  expect(pending?.['last_error']).toContain(
    'the event loop did not turn while this attempt ran (blocking.ts:',
  );

  const second = await serve(env);
  expect(await second.ended).toMatchObject({ code: 70 });
  expect(stalledLine(second)['msg']).toContain('`portaria handlers pause blocking --reason "…"`');
  expect(await rows(['deliveries', 'list'], env)).toMatchObject([
    {
      status: 'dead',
      attempts: 2,
      last_error: expect.stringContaining('it has ended 2 processes') as string,
    },
  ]);

  const pager = await startPager();
  const third = await serve({ ...env, ...pager.settings });
  expect((await third.post(charge(2, 1))).status).toBe(202);
  await eventually('the next event is handled', () => workspace.recorded().includes('begin 2'));
  await eventually('the alert arrives', () => pager.told().includes('began stalled'));
  third.kill('SIGTERM');
  expect(await third.ended).toMatchObject({ code: 0 });
  expect(workspace.recorded()).toEqual(['begin 1', 'begin 1', 'begin 2', 'end 2']);
});

test('a start with the inspector open says that the watchdog does not act', async () => {
  const env = { ...environment(createWorkspace()), NODE_OPTIONS: '--inspect=127.0.0.1:0' };
  const running = await serve(env);
  expect(running.written()).toContain('the inspector is open');
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0 });
});

test('a regular expression that backtracks for ever is stopped like a loop', async () => {
  const { running } = await serveBlocking("/^(a+)+$/.test('a'.repeat(60) + 'b');");
  expect(await running.ended).toMatchObject({ code: 70 });
  expect(stalledLine(running)['stack']).toContainEqual(expect.stringContaining('blocking.ts:'));
});

test('what a handler logs before it blocks is in the log', async () => {
  const { running } = await serveBlocking("log.info('first'); log.info('second'); for (;;) {}");
  expect(await running.ended).toMatchObject({ code: 70 });
  expect(running.written()).toContain('"msg":"first"');
  expect(running.written()).toContain('"msg":"second"');
});

test('native code that blocks, which no debugger stops, is killed', async () => {
  const { running } = await serveBlocking(
    "process.getBuiltinModule('node:child_process').execSync('sleep 600');",
  );
  expect(await running.ended).toMatchObject({ signal: 'SIGKILL' });
  expect(stalledLine(running)).toMatchObject({ handler: 'blocking', attempt: 1, stack: [] });
});

test('a thread that is blocked for longer than the grace leaves SIGTERM its default action', async () => {
  const { running } = await serveBlocking(untilGate, patient);
  await eventually('the signal is handed over', () => !catchesSigterm(running));
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ signal: 'SIGTERM' });
});

test('a thread that goes on after its signal was handed over stops as asked again', async () => {
  const { workspace, env, running } = await serveBlocking(untilGate, patient);
  await eventually('the signal is handed over', () => !catchesSigterm(running));
  workspace.open('gate');
  await eventually('the signal is handed back', () => catchesSigterm(running));
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0 });
  expect(await rows(['deliveries', 'list'], env)).toMatchObject([{ status: 'succeeded', attempts: 1 }]);
});

test('a signal that comes while native code blocks the thread is heeded when it goes on', async () => {
  // Longer than the second after which the watchdog asks for the thread.
  const { env, running, begun } = await serveBlocking(
    "process.getBuiltinModule('node:child_process').execSync('sleep 3');",
    patient,
  );
  await begun();
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0 });
  expect(await rows(['deliveries', 'list'], env)).toMatchObject([{ status: 'succeeded', attempts: 1 }]);
});

test('a handler that blocks once the grace is over does not keep the process', async () => {
  const { env, running, begun } = await serveBlocking(
    `signal.addEventListener('abort', () => { for (;;) ${sleep} }); await opened('never', signal);`,
    { PORTARIA_STALL_TIMEOUT_MS: '600000', PORTARIA_SHUTDOWN_GRACE_MS: '1' },
  );
  await begun();
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 70 });
  expect(stalledLine(running)['msg']).toContain('grace was over');
  expect(await rows(['deliveries', 'list'], env)).toMatchObject([{ status: 'running', attempts: 1 }]);
});

test('an application that embeds the receiver asks for the watchdog', async () => {
  const { folder } = createWorkspace();
  const program = join(folder, 'application.mjs');
  writeFileSync(
    program,
    `import { createPortaria, defineHandler, loadConfig } from ${JSON.stringify(builtLibrary)};
    const blocking = defineHandler({ name: 'blocking', on: 'charge.*', handle() { for (;;) ${sleep} } });
    const portaria = await createPortaria({
      config: loadConfig({ PORTARIA_STALL_TIMEOUT_MS: '1000' }, ${JSON.stringify(folder)}),
      handlers: [blocking],
      endsWhenStalled: true,
    });
    await portaria.dispatcher.start();
    const body = ${JSON.stringify(JSON.stringify(charge(1, 1)))};
    await portaria.app.request('/webhooks', { method: 'POST', body });`,
  );
  const { code, out, err } = await launchNode([program]).ended;
  expect(code, err).toBe(70);
  expect(out).toContain('"handler":"blocking"');
});
