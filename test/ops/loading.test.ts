import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openOpsDesk, type OpsDesk } from './ops-desk.ts';

// As when a file of it cannot be read.
vi.mock('../../src/ops/operators-api.ts', () => {
  throw new Error('EMFILE: too many open files');
});

let desk: OpsDesk;

beforeEach(async () => {
  desk = await openOpsDesk();
});
afterEach(() => desk.close());

it('probes are answered without what the other routes need', async () => {
  expect((await desk.get('/healthz')).status).toBe(200);
  const ready = await desk.request('/readyz');
  expect(ready.status).toBe(200);
  expect(ready.headers.get('cache-control')).toBe('no-store');
  desk.reasons = ['stopping'];
  expect((await desk.get('/readyz')).status).toBe(503);
});

it('other requests say that something failed, and the log says what', async () => {
  const { status, body } = await desk.get('/api/stats');
  expect(status).toBe(500);
  expect(body).toEqual({
    error: 'Internal Server Error',
    message: 'Unexpected error; the log has the details',
  });
  expect(desk.logged).toMatchObject([{ level: 'error', fields: { method: 'GET', path: '/api/stats' } }]);
});
