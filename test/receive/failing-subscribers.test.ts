/** A subscriber of telemetry that throws, behind the real stages and a real store. */
import { expect, onTestFinished, test } from 'vitest';
import { specification } from '../../src/contract/specification.ts';
import { createIdentify } from '../../src/identify/identify.ts';
import { createParse } from '../../src/parse/parse.ts';
import { createPipeline } from '../../src/pipeline.ts';
import { createPublicPort, createReceiveApp } from '../../src/receive/public-port.ts';
import { createBodyMemory } from '../../src/receive/read-body.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts';
import { fanOut } from '../../src/telemetry/telemetry.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { sampleData } from '../../src/testing/sample-data.ts';
import { testContext } from '../../src/testing/test-context.ts';
import { createVerifier } from '../../src/verify/create-verifier.ts';

const body = JSON.stringify({ type: 'charge.updated', data: sampleData('charge.updated') });

test('a stored webhook gets 202 although every subscriber throws', async () => {
  const clock = manualClock();
  const store = await openSqliteStore({ path: ':memory:', role: 'owner', clock });
  onTestFinished(() => store.close());
  const { log, logged } = testContext();
  const failing = (): never => {
    throw new Error('a broken subscriber');
  };
  const telemetry = fanOut([failing, () => failing()], log);
  const bodyMemory = createBodyMemory(1_000_000);
  const receive = createPipeline({
    verifiers: new Map([
      ['default', createVerifier({ scheme: 'none', messageIdHeader: 'webhook-id' }, { clock })],
    ]),
    parse: createParse(specification),
    identify: createIdentify(specification, (id) => id),
    inbox: store,
    routesFor: () => [],
    dispatch: () => undefined,
    telemetry,
  });
  const app = createReceiveApp(
    createPublicPort({
      receive,
      sources: new Set(['default']),
      maxBodyBytes: 100_000,
      bodyTimeoutMs: 1_000,
      bodyMemory,
      onInvalid: 'reject',
      clock,
      telemetry,
      log,
      stopping: () => false,
      healthy: () => true,
    }),
  );
  const post = () =>
    app.request('/webhooks', { method: 'POST', body, headers: { 'content-type': 'application/json' } });

  expect((await post()).status).toBe(202);
  expect((await post()).status, 'its duplicate').toBe(200);

  expect((await store.statistics()).events).toBe(1);
  expect(
    logged.map(({ level }) => level),
    'once for each subscriber',
  ).toEqual(['error', 'error']);
});
