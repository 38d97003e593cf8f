/** Handlers that throw anything, never settle, block, and leave promises behind: the others go on, and one reads why. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { charge } from '../support/envelopes.ts';
import { eventually } from '../support/eventually.ts';
import { rows, serve } from '../support/running-portaria.ts';
import { recording, workshop, type Workshop } from '../support/workshop.ts';
import { printFigures } from './kit/figures.ts';
import { allHandled } from './kit/statistics.ts';
import { thrownThings } from './kit/thrown-things.ts';

const environment = ({ database, handlers }: Workshop) => ({
  PORTARIA_DATABASE: database,
  PORTARIA_HANDLERS: handlers,
});

/** How long a process may take to its end that has nothing more to do. */
const SOON_MS = 20_000;

/** Lets every failure be the handler's own: no retry, and no pause for all because one subject is hostile. */
const ONE_TRY = 'retry: { attempts: 1 }, breaker: { failures: 100_000 },';

/** Handles what the hostile one beside it does. */
const GOOD = `
  export const good = defineHandler({
    name: 'good',
    on: 'charge.*',
    handle({ data }) {
      record('good ' + data.id);
    },
  });`;

test('whatever a handler throws is a dead letter with a reason, and nobody else notices', async () => {
  const place = workshop();
  const cases = thrownThings.map(({ statement }, id) => `case ${String(id)}: { ${statement} }`);
  place.writeHandler(
    'throws.ts',
    `${recording(place)}
    // @ts-nocheck
    ${GOOD}
    export const throws = defineHandler({
      name: 'throws',
      on: 'charge.*',
      ${ONE_TRY}
      handle({ data }) {
        switch (data.id) { ${cases.join('\n')} }
      },
    });`,
  );
  const env = environment(place);
  const running = await serve(env);
  const others = 50;
  const posted = thrownThings.length + others;
  for (let id = 0; id < posted; id += 1) expect((await running.post(charge(id, 1))).status).toBe(202);

  const { deliveries } = await allHandled(running);

  expect(deliveries).toMatchObject({ dead: thrownThings.length, succeeded: posted + others });
  const dead = await rows(['deliveries', 'list', '--status', 'dead', '--limit', '100'], env);
  for (const [id, { name, reason }] of thrownThings.entries()) {
    const letter = dead.find(({ subject }) => subject === `charge:${String(id)}`);
    expect(letter?.['last_error'], name).toMatch(reason);
    expect(String(letter?.['last_error']).length, name).toBeLessThanOrEqual(2_000);
  }
  printFigures('handlers that throw', {
    things: thrownThings.length,
    dead: deliveries.dead,
    succeeded: deliveries.succeeded,
  });
});

test('runs that never settle and ignore their signal are abandoned, and free their slots', async () => {
  const place = workshop();
  place.writeHandler(
    'hangs.ts',
    `${recording(place)}
    ${GOOD}
    export const hangs = defineHandler({
      name: 'hangs',
      on: 'charge.*',
      timeoutMs: 100,
      ${ONE_TRY}
      handle: () => new Promise(() => undefined),
    });`,
  );
  const env = { ...environment(place), PORTARIA_CONCURRENCY: '8' };
  const running = await serve(env);
  const posted = 24;
  for (let id = 0; id < posted; id += 1) await running.post(charge(id, 1));

  const { deliveries } = await allHandled(running);

  expect(deliveries).toMatchObject({ dead: posted, succeeded: posted });
  const dead = await rows(['deliveries', 'list', '--status', 'dead', '--limit', '100'], env);
  for (const letter of dead)
    expect(letter).toMatchObject({
      attempts: 1,
      last_error: 'timed out after 100 ms and ignored its abort signal',
    });
  printFigures('handlers that never settle', {
    runs: posted,
    slots: 8,
    dead: deliveries.dead,
    succeeded: deliveries.succeeded,
  });
});

test('a handler that blocks the process holds everything up, and costs nobody a try', async () => {
  const place = workshop();
  place.writeHandler(
    'blocks.ts',
    `${recording(place)}
    ${GOOD}
    export const waits = defineHandler({
      name: 'waits',
      on: 'charge.*',
      timeoutMs: 1_500,
      handle: ({ data }, { signal }) => data.id === 0 ? undefined : pause(200, undefined, { signal }),
    });
    export const blocks = defineHandler({
      name: 'blocks',
      on: 'charge.*',
      handle({ data }) {
        if (data.id !== 0) return;
        record('blocking');
        const end = performance.now() + 2_000;
        while (performance.now() < end);
      },
    });`,
  );
  const running = await serve({ ...environment(place), PORTARIA_BODY_TIMEOUT_MS: '1500' });
  for (let id = 1; id <= 10; id += 1) await running.post(charge(id, 1));
  await running.post(charge(0, 1));
  await eventually('it blocks', () => place.recorded().includes('blocking'));

  const meanwhile = await Promise.all(
    Array.from({ length: 20 }, (_, at) => running.post(charge(100 + at, 1))),
  );
  const { deliveries } = await allHandled(running);

  expect(meanwhile.map(({ status }) => status)).toEqual(meanwhile.map(() => 202));
  expect(deliveries).toMatchObject({ dead: 0, succeeded: 31 * 3 });
  const retried = (await rows(['deliveries', 'list', '--limit', '200'], environment(place))).filter(
    ({ attempts }) => attempts !== 1,
  );
  expect(retried).toEqual([]);
  printFigures('a handler that blocks', {
    blockedMs: 2_000,
    postedMeanwhile: meanwhile.length,
    succeeded: deliveries.succeeded,
    retried: retried.length,
  });
});

/** What handlers leave behind, by the id of the charge, and what the log says of it. */
const leaks: readonly (readonly [statement: string, logged: RegExp])[] = [
  [
    "void Promise.reject(new Error('left behind'));",
    /left a promise behind.*Error: left behind \(at .*leaks\.ts/,
  ],
  ['void Promise.reject(undefined);', /left a promise behind.*threw undefined/],
  ["for (let at = 0; at < 100; at += 1) void Promise.reject(new Error('one of many'));", /one of many/],
  [
    "setTimeout(() => { throw new Error('in a timer'); }, 1);",
    /left a timer or listener behind.*in a timer \(at .*leaks\.ts/,
  ],
  ['setImmediate(() => { throw undefined; });', /left a timer or listener behind.*threw undefined/],
  ["process.nextTick(() => { throw Object.freeze(new Error('in a tick')); });", /in a tick/],
  ["queueMicrotask(() => { throw new Error('in a microtask'); });", /in a microtask/],
  ["setImmediate(() => new EventEmitter().emit('error', new Error('unheard')));", /unheard/],
  ["setImmediate(() => { throw new Proxy({}, { get() { throw new Error('no'); } }); });", /threw an object/],
  // These throw what Portaria itself made, in Portaria's own code.
  ["signal.addEventListener('abort', () => { throw signal.reason; });", /exception.*TimeoutError/],
  [
    "void new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));",
    /rejection.*TimeoutError/,
  ],
];

test('promises left behind and timers that throw end neither the process nor other lanes', async () => {
  const place = workshop();
  const cases = leaks.map(([statement], id) => `case ${String(id)}: { ${statement} break; }`);
  place.writeHandler(
    'leaks.ts',
    `${recording(place)}
    import { EventEmitter } from 'node:events';
    import { createServer } from 'node:net';
    // Nothing to be said of these; they must not keep a process that is to end.
    setInterval(() => undefined, 60_000);
    createServer().listen(0, '127.0.0.1');
    ${GOOD}
    export const leaks = defineHandler({
      name: 'leaks',
      on: 'charge.*',
      timeoutMs: 50,
      ${ONE_TRY}
      handle({ data }, { signal }) {
        switch (data.id) { ${cases.join('\n')} default: return; }
        return new Promise(() => undefined);
      },
    });`,
  );
  const running = await serve(environment(place));
  const posted = leaks.length + 50;
  for (let id = 0; id < posted; id += 1) expect((await running.post(charge(id, 1))).status).toBe(202);

  const { deliveries } = await allHandled(running);

  expect(deliveries).toMatchObject({ dead: leaks.length, succeeded: 2 * posted - leaks.length });
  const log = running.written();
  for (const [, logged] of leaks) expect(log).toMatch(logged);
  running.kill('SIGTERM');
  expect(await Promise.race([running.ended, pause(SOON_MS, 'still there')])).toMatchObject({ code: 0 });
  printFigures('handlers that leak', {
    leaks: log.match(/A handler left/g)?.length ?? 0,
    dead: deliveries.dead,
    succeeded: deliveries.succeeded,
  });
});
