/** Given handlers that block the process, or leave promises and timers behind: other deliveries go on, and the log says why. */
import { expect, test } from 'vitest';
import { charge } from '../../support/webhooks/envelopes.ts';
import { eventually } from '../../support/eventually.ts';
import { rows, serve } from '../../support/running-portaria.ts';
import { recording, createWorkspace, type Workspace } from '../../support/workspace.ts';
import { printFigures } from '../kit/figures.ts';
import { allHandled } from '../kit/statistics.ts';

const environment = ({ database, handlers }: Workspace) => ({
  PORTARIA_DATABASE: database,
  PORTARIA_HANDLERS: handlers,
});

/** No retry, and a breaker that never opens. */
const ONE_ATTEMPT = 'retry: { attempts: 1 }, breaker: { failures: 100_000 },';

/** A handler for the same events as the hostile one. */
const GOOD = `
  export const good = defineHandler({
    name: 'good',
    on: 'charge.*',
    handle({ data }) {
      record('good ' + data.id);
    },
  });`;

/** The time limit of a handler, and of a body: the process is blocked for longer. */
const LIMIT_MS = 4_000;

test('a handler that blocks the process delays everything, and costs no other delivery an attempt', async () => {
  const workspace = createWorkspace();
  workspace.writeHandler(
    'blocks.ts',
    `${recording(workspace)}
    ${GOOD}
    export const waits = defineHandler({
      name: 'waits',
      on: 'charge.*',
      timeoutMs: ${String(LIMIT_MS)},
      handle: ({ data }, { signal }) => data.id === 0 ? undefined : pause(200, undefined, { signal }),
    });
    export const blocks = defineHandler({
      name: 'blocks',
      on: 'charge.*',
      handle({ data }) {
        if (data.id !== 0) return;
        record('blocking');
        const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
        while (!existsSync(join(folder, 'gate'))) block(10);
        block(${String(LIMIT_MS + 500)});
      },
    });`,
  );
  const running = await serve({ ...environment(workspace), PORTARIA_BODY_TIMEOUT_MS: String(LIMIT_MS) });
  for (let id = 1; id <= 10; id += 1) await running.post(charge(id, 1));
  await running.post(charge(0, 1));
  await eventually('it blocks', () => workspace.recorded().includes('blocking'));

  const posting = Promise.all(Array.from({ length: 20 }, (_, at) => running.post(charge(100 + at, 1))));
  workspace.open('gate');
  const others = await posting;
  const { deliveries } = await allHandled(running);

  expect(others.map(({ status }) => status)).toEqual(others.map(() => 202));
  expect(deliveries).toMatchObject({ dead: 0, succeeded: 31 * 3 });
  const retried = (await rows(['deliveries', 'list', '--limit', '200'], environment(workspace))).filter(
    ({ attempts }) => attempts !== 1,
  );
  expect(retried).toEqual([]);
  printFigures('a handler that blocks', {
    postedWhileBlocked: others.length,
    succeeded: deliveries.succeeded,
    retried: retried.length,
  });
});

/** What a handler leaves behind, by the id of the charge, and the expected log line. */
const leaks: readonly (readonly [statement: string, logged: RegExp])[] = [
  ["void Promise.reject(new Error('left behind'));", /left a promise.*Error: left behind \(at .*leaks\.ts/],
  ['void Promise.reject(undefined);', /left a promise .*threw undefined/],
  ["for (let at = 0; at < 100; at += 1) void Promise.reject(new Error('one of many'));", /one of many/],
  [
    "setTimeout(() => { throw new Error('in a timer'); }, 1);",
    /left a timer or listener.*in a timer \(at .*leaks\.ts/,
  ],
  ['setImmediate(() => { throw undefined; });', /left a timer or listener.*threw undefined/],
  ["process.nextTick(() => { throw Object.freeze(new Error('in a tick')); });", /in a tick/],
  ["queueMicrotask(() => { throw new Error('in a microtask'); });", /in a microtask/],
  ["setImmediate(() => new EventEmitter().emit('error', new Error('unheard')));", /unheard/],
  ["setImmediate(() => { throw new Proxy({}, { get() { throw new Error('no'); } }); });", /threw an object/],
  // These throw an error that Portaria created, inside Portaria's code.
  ["signal.addEventListener('abort', () => { throw signal.reason; });", /exception.*TimeoutError/],
  [
    "void new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));",
    /rejection.*TimeoutError/,
  ],
];

test('unhandled rejections and timers that throw stop neither the process nor other lanes', async () => {
  const workspace = createWorkspace();
  const cases = leaks.map(([statement], id) => `case ${String(id)}: { ${statement} break; }`);
  workspace.writeHandler(
    'leaks.ts',
    `${recording(workspace)}
    import { EventEmitter } from 'node:events';
    import { createServer } from 'node:net';
    // These open handles must not keep the process alive.
    setInterval(() => undefined, 60_000);
    createServer().listen(0, '127.0.0.1');
    ${GOOD}
    export const leaks = defineHandler({
      name: 'leaks',
      on: 'charge.*',
      timeoutMs: 50,
      ${ONE_ATTEMPT}
      handle({ data }, { signal }) {
        switch (data.id) { ${cases.join('\n')} default: return; }
        return new Promise(() => undefined);
      },
    });`,
  );
  const running = await serve(environment(workspace));
  const posted = leaks.length + 50;
  for (let id = 0; id < posted; id += 1) expect((await running.post(charge(id, 1))).status).toBe(202);

  const { deliveries } = await allHandled(running);

  expect(deliveries).toMatchObject({ dead: leaks.length, succeeded: 2 * posted - leaks.length });
  const log = running.written();
  for (const [, logged] of leaks) expect(log).toMatch(logged);
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0 });
  printFigures('handlers that leak', {
    leaks: log.match(/a handler left/g)?.length ?? 0,
    dead: deliveries.dead,
    succeeded: deliveries.succeeded,
  });
});
