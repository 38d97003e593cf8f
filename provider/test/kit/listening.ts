import { onTestFinished } from 'vitest';
import { serveFetchApp, type FetchApp } from '../../../src/kernel/http/server/fetch-listener.ts';
import { listen } from '../../../src/kernel/http/server/listen.ts';
import { systemClock } from '../../../src/kernel/time/clock.ts';
import { testContext } from '../../../src/testing/test-context.ts';

/** Serves an app of the provider on any free port of this machine, until the test ends. */
export async function listening(app: FetchApp) {
  const listener = await listen({
    ...{ handle: serveFetchApp(app), host: '127.0.0.1', port: 0, clock: systemClock, bodyTimeoutMs: 1_000 },
    log: testContext().log,
    settings: { host: '--host', port: '--port' },
  });
  const close = (graceMs = 0) => listener.close(graceMs);
  onTestFinished(() => close());
  return { port: listener.port, close };
}
