/** While a newer version replaces an older one, each process knows that the other runs handlers that it lacks. */
import { expect, onTestFinished, test } from 'vitest';
import { createPortaria } from '../../../src/compose.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { defineHandler, type Handler } from '../../../src/handle/define/handler.ts';
import type { Logger } from '../../../src/kernel/logger.ts';
import { route, sampleEvent } from '../../conformance/sample-event.ts';
import { eventually } from '../../support/eventually.ts';
import { silentLogger } from '../../support/silent-logger.ts';
import { databaseOfStore } from '../kit/postgres-places.ts';

async function start(database: string, handlers: readonly Handler[]) {
  const warnings: string[] = [];
  const log: Logger = { ...silentLogger, warn: (_, message) => void warnings.push(message) };
  const env = {
    ...{ PORTARIA_DATABASE: database, PORTARIA_PORT: '0', PORTARIA_OPS_PORT: '0' },
    PORTARIA_SHUTDOWN_GRACE_MS: '0',
  };
  const portaria = await createPortaria({ config: loadConfig(env, '/'), handlers, log });
  onTestFinished(() => portaria.stop());
  return { portaria, warnings, start: () => portaria.start() };
}

const unregistered = (warnings: readonly string[]) =>
  warnings.filter((one) => one.includes('not registered'));

test('deliveries for the handler of another process are no problem, and those that no process has are one', async () => {
  const database = await databaseOfStore();
  const added = defineHandler({ name: 'added', on: 'company.*', handle: () => new Promise(() => undefined) });
  const newer = await start(database, [added]);
  await newer.start();
  // One lane: its second delivery is pending for as long as the first one runs.
  for (const content of ['A', 'B'])
    await newer.portaria.store.accept(sampleEvent({ content }), [route('added'), route('nowhere')]);
  newer.portaria.dispatcher.wake();

  const older = await start(database, []);
  await older.start();

  const warned = await eventually('the older one warns', () => unregistered(older.warnings)[0]);
  expect(warned).toContain('nowhere');
  expect(warned).not.toContain('added');
});
