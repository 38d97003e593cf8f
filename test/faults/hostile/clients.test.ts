/** Given very many slow and hostile clients: memory stays bounded, good clients are served, and the hostile ones are disconnected. */
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { expectBelow, loadOf } from '../../support/measured.ts';
import { serve, startServe, type RunningPortaria } from '../../support/running-portaria.ts';
import { createWorkspace } from '../../support/workspace.ts';
import {
  crowd,
  nonReadingAsker,
  fastNonReadingAsker,
  endlessChunks,
  endlessExtension,
  endlessTrailers,
  hugeHeaders,
  idle,
  quitter,
  slowBody,
  slowHeaders,
  stalledBody,
  type Crowd,
} from '../kit/senders/crowd.ts';
import { mebibytes, printFigures } from '../kit/figures.ts';
import { startGoodClient } from '../kit/senders/good-client.ts';
import { leaveOut, need } from '../kit/needs.ts';
import { poster } from '../kit/senders/poster.ts';
import { statisticsOf } from '../kit/statistics.ts';
import { memoryOf, openFilesLimit, openFilesOf } from '../kit/programs/process-figures.ts';
import { chargeBody } from '../kit/senders/webhooks.ts';

const IDLE_CONNECTIONS = loadOf(10_000, { elsewhere: 1_000 });
/** The number of bodies of a million bytes each. */
const LONG_BODIES = loadOf(1_000, { elsewhere: 400 });
/** Open files reserved for things other than idle connections. */
const SPARE_FILES = 1_000;
/** An open file limit that a process can barely start with. */
const FEW_FILES = 1_000;
/** Twice the memory that these connections need. Each unbounded flood alone would need more. */
const MAX_MEMORY = 500 * 1024 * 1024;

/** The bound of long bodies in flight (256 MiB), buffers of a thousand sockets, and garbage of both. */
const MAX_MEMORY_OF_LONG_BODIES = 650 * 1024 * 1024;
/** The longest response time of a good client in milliseconds. */
const MAX_ANSWER_MS = 10_000;

const portOf = ({ url }: RunningPortaria): number => Number(new URL(url).port);

/** Connections that stay until Portaria's timeouts end them. */
async function besiege(port: number): Promise<readonly Crowd[]> {
  const idlers = Math.min(IDLE_CONNECTIONS, openFilesLimit() - SPARE_FILES);
  if (idlers < IDLE_CONNECTIONS)
    leaveOut(
      `only ${String(idlers)} idle connections: the system allows ${String(openFilesLimit())} open files`,
    );
  return [
    await crowd(port, idlers, idle),
    await crowd(port, 100, slowHeaders),
    await crowd(port, 100, slowBody),
    await crowd(port, 200, hugeHeaders),
    await crowd(port, 1, nonReadingAsker),
  ];
}

/** Connections that come and go, one wave per second. */
async function wave(port: number): Promise<readonly Crowd[]> {
  return [
    await crowd(port, 10, endlessChunks(1)),
    await crowd(port, 10, endlessChunks(65_536)),
    await crowd(port, 2, endlessExtension),
    await crowd(port, 2, endlessTrailers),
    await crowd(port, 10, fastNonReadingAsker),
    await crowd(port, 50, quitter),
  ];
}

const count = (crowds: readonly Crowd[], number: (crowd: Crowd) => number): number =>
  crowds.reduce((sum, one) => sum + number(one), 0);

test('survives very many idle, slow and flooding connections', async (context) => {
  need(context, 'linux');
  const { database } = createWorkspace();
  const running = await serve({ PORTARIA_DATABASE: database, PORTARIA_BODY_TIMEOUT_MS: '2000' });
  const port = portOf(running);
  const calmClient = startGoodClient(running.url, 1);
  await pause(1_000);
  const calm = await calmClient.stop();
  const before = memoryOf(running.pid).resident;

  const began = performance.now();
  const stayers = await besiege(port);
  const opened = openFilesOf(running.pid);
  const goodClient = startGoodClient(running.url, 11);
  const waves: Crowd[] = [];
  while (count(stayers, (one) => one.left()) > 0) {
    waves.push(...(await wave(port)));
    await pause(1_000);
  }
  const service = await goodClient.stop();
  await eventually('the last wave is over', () => count(waves, (one) => one.left()) === 0);

  const { events, quarantine_held: quarantined } = await statisticsOf(running);

  const memory = memoryOf(running.pid);
  printFigures('besieged', {
    connections: count([...stayers, ...waves], (one) => one.opened),
    openAtOnce: opened,
    endedAfterMs: Math.round(performance.now() - began),
    good: service.answered,
    refused: service.refused,
    p50: `${String(service.p50)}ms`,
    p99: `${String(service.p99)}ms`,
    longest: `${String(service.longest)}ms`,
    calmP50: `${String(calm.p50)}ms`,
    calmP99: `${String(calm.p99)}ms`,
    before: mebibytes(before),
    peak: mebibytes(memory.peak),
    after: mebibytes(memory.resident),
  });
  // On a slow machine the first connections time out before the last ones open.
  expectBelow(0.1, 1 - opened / count(stayers, (one) => one.opened), 'share that was not open at once');
  expectBelow(1, service.refused, 'refusals of a good client');
  // No incomplete or endless body was taken for a complete one.
  expect({ events, quarantined }).toEqual({ events: calm.answered + service.answered, quarantined: 0 });
  expect(service.answered).toBeGreaterThan(0);
  expectBelow(MAX_ANSWER_MS, service.longest, 'longest response of a good client');
  expectBelow(MAX_MEMORY, memory.peak - before, 'memory of the connections');
  expect(running.written()).not.toMatch(/"level":50|"status":5\d\d/);
});

test('survives more long bodies that never end than may be in memory', async (context) => {
  need(context, 'linux');
  // Long enough for all connections to open before the first one times out.
  const running = await serve({
    PORTARIA_DATABASE: createWorkspace().database,
    PORTARIA_BODY_TIMEOUT_MS: '8000',
  });
  const before = memoryOf(running.pid).resident;
  const goodClient = startGoodClient(running.url, 1);

  const stalled = await crowd(portOf(running), LONG_BODIES, stalledBody);
  await eventually('all are ended', () => stalled.left() === 0);
  const service = await goodClient.stop();

  const memory = memoryOf(running.pid);
  printFigures('long bodies that do not end', {
    connections: stalled.opened,
    good: service.answered,
    refused: service.refused,
    p99: `${String(service.p99)}ms`,
    longest: `${String(service.longest)}ms`,
    before: mebibytes(before),
    peak: mebibytes(memory.peak),
  });
  expectBelow(1, service.refused, 'refusals of a good client');
  expect(service.answered).toBeGreaterThan(0);
  expectBelow(MAX_MEMORY_OF_LONG_BODIES, memory.peak - before, 'memory of long bodies');
  expect(running.written()).not.toMatch(/"status":5(?!03)/);
});

test('given more connections than open files allow, serves the open ones and recovers when others close', async (context) => {
  need(context, 'linux');
  const { database } = createWorkspace();
  const started = startServe({ PORTARIA_DATABASE: database }, [
    'sh',
    '-c',
    `ulimit -n ${String(FEW_FILES)}; exec "$0" "$@"`,
  ]);
  const running = await started.ready();
  const keep = poster(running.url, new Agent({ keepAlive: true, maxSockets: 1 }));
  expect(await keep(chargeBody(1, 1))).toMatchObject({ status: 202 });

  const idlers = await crowd(portOf(running), FEW_FILES + 300, idle);
  await eventually('no file descriptor is left', () => openFilesOf(running.pid) > FEW_FILES - 5);
  const statuses: number[] = [];
  for (let number = 2; number <= 50; number += 1) statuses.push((await keep(chargeBody(1, number))).status);
  const served = statuses.filter((status) => status === 202).length;
  idlers.leave();

  await eventually('new connections are accepted again', async () => {
    const answer = await poster(running.url, new Agent())(chargeBody(2, 1)).catch(() => undefined);
    return answer !== undefined;
  });
  expect((await running.post(JSON.parse(chargeBody(3, 1)))).status).toBe(202);
  printFigures('out of files', {
    allowed: FEW_FILES,
    tried: idlers.opened,
    served,
    refused: statuses.length - served,
  });
  expect(served).toBe(statuses.length);
});
