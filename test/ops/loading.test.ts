/** When the private port loads the operators' API, and what happens if it cannot. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { composedPortaria } from '../support/composed-portaria.ts';
import { eventually } from '../support/eventually.ts';
import { setUpOps, type OpsSetup } from './ops-setup.ts';

// As when a file of it cannot be read.
vi.mock('../../src/ops/operators-api.ts', () => {
  throw new Error('EMFILE: too many open files');
});

// As when the disk is slow.
const disk = vi.hoisted(() => ({ ...Promise.withResolvers<undefined>(), read: false }));
vi.mock('../../src/console/console-app.tsx', async () => {
  await disk.promise;
  disk.read = true;
  return { createConsole: () => ({}) };
});

let setup: OpsSetup;

beforeEach(async () => {
  setup = await setUpOps();
});
afterEach(() => setup.close());

it('probes do not load the operators’ API', async () => {
  expect((await setup.get('/healthz')).status).toBe(200);
  const ready = await setup.request('/readyz');
  expect(ready.status).toBe(200);
  expect(ready.headers.get('cache-control')).toBe('no-store');
  setup.reasons = ['stopping'];
  expect((await setup.get('/readyz')).status).toBe(503);
});

it('a failed load is a 500, and the log has the reason', async () => {
  const { status, body } = await setup.get('/api/stats');
  expect(status).toBe(500);
  expect(body).toEqual({
    error: 'Internal Server Error',
    message: 'Unexpected error; the log has the details',
  });
  expect(setup.logged).toMatchObject([{ level: 'error', fields: { method: 'GET', path: '/api/stats' } }]);
});

it('a stop waits for the load that the start began, since an import that is cut off stays failed', async () => {
  const portaria = await composedPortaria({});
  await portaria.start();
  const closing = vi.spyOn(portaria.store, 'close');
  const stopped = portaria.stop().then(() => disk.read);
  await eventually('the store closes', () => closing.mock.calls.length > 0);
  await new Promise(setImmediate);
  disk.resolve(undefined);
  expect(await stopped).toBe(true);
});
