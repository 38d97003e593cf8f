import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PortariaError } from '../../src/kernel/errors.ts';
import { fixture } from '../support/fixtures.ts';
import { openOpsDesk, type OpsDesk } from './ops-desk.ts';

let desk: OpsDesk;

beforeEach(async () => {
  desk = await openOpsDesk();
});
afterEach(() => desk.close());

const { type, data } = fixture('charge.updated');

async function metric(line: string): Promise<string | undefined> {
  const text = await (await desk.request('/metrics')).text();
  return text
    .split('\n')
    .find((each) => each.startsWith(`${line} `))
    ?.slice(line.length + 1);
}

describe('/healthz', () => {
  it('says that the process is alive, and which version it is', async () => {
    expect(await desk.get('/healthz')).toMatchObject({
      status: 200,
      body: { status: 'ok', version: '1.2.3' },
    });
  });

  it('says so also when the process is not ready', async () => {
    desk.reasons = ['stopping'];
    expect((await desk.get('/healthz')).status).toBe(200);
  });
});

describe('/readyz', () => {
  it('is 200 when webhooks are taken and handed on', async () => {
    expect(await desk.get('/readyz')).toMatchObject({ status: 200, body: { status: 'ready', reasons: [] } });
  });

  it('is 503 with every reason when not', async () => {
    desk.reasons = ['stopping'];
    vi.spyOn(desk.store, 'healthy').mockReturnValue(false);
    expect(await desk.get('/readyz')).toMatchObject({
      status: 503,
      body: { status: 'not-ready', reasons: ['the store failed at its last write', 'stopping'] },
    });
  });
});

describe('/metrics', () => {
  it('counts what the store holds', async () => {
    desk.failing = true;
    await desk.receive({ type, data: { ...data, id: 1 } });
    await desk.receive('{');
    await desk.settle();
    expect(await metric('portaria_dead_letters{handler="billing"}')).toBe('1');
    expect(await metric('portaria_open_deliveries{handler="billing",status="pending"}')).toBe('0');
    expect(await metric('portaria_quarantine_held')).toBe('1');
    expect(await metric('portaria_oldest_pending_age_seconds')).toBe('0');
    expect(await metric('portaria_store_healthy')).toBe('1');
    expect(await metric('portaria_deliveries_total{handler="billing",result="dead"}')).toBe('1');
    expect(await metric('portaria_deliveries_total{handler="charge-status",result="succeeded"}')).toBe('1');
    expect(Number(await metric('portaria_store_bytes'))).toBeGreaterThan(0);
  });

  it('counts once for all scrapes of ten seconds', async () => {
    const totals = vi.spyOn(desk.store, 'totals');
    await Promise.all([desk.request('/metrics'), desk.request('/metrics')]);
    desk.clock.advance(9_999);
    await desk.request('/metrics');
    expect(totals).toHaveBeenCalledTimes(1);
    desk.clock.advance(1);
    await desk.request('/metrics');
    expect(totals).toHaveBeenCalledTimes(2);
  });

  it('keeps the last numbers while the store does not answer', async () => {
    await desk.receive('{');
    expect(await metric('portaria_quarantine_held')).toBe('1');
    desk.clock.advance(10_000);
    vi.spyOn(desk.store, 'totals').mockRejectedValue(new PortariaError('store-failed', 'disk'));
    vi.spyOn(desk.store, 'healthy').mockReturnValue(false);
    expect(await metric('portaria_quarantine_held')).toBe('1');
    expect(await metric('portaria_store_healthy')).toBe('0');
  });

  it('is in the format that Prometheus reads', async () => {
    const response = await desk.request('/metrics');
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  });
});

describe('a store that fails', () => {
  it('is answered 503 with Retry-After', async () => {
    vi.spyOn(desk.store, 'statistics').mockRejectedValue(
      new PortariaError('store-busy', '/srv/portaria.db: another process holds the write lock'),
    );
    const response = await desk.request('/api/stats');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.json()).toEqual({
      error: 'Service Unavailable',
      message: 'The store is busy; try again',
    });
  });

  it('is answered 500 without its text when the failure is a defect, which is logged scrubbed', async () => {
    vi.spyOn(desk.store, 'statistics').mockRejectedValue(new TypeError('no such field: ana@example.com'));
    expect(await desk.get('/api/stats')).toEqual({
      status: 500,
      body: { error: 'Internal Server Error', message: 'Unexpected error; the log has the details' },
      rows: [],
    });
    expect(desk.logged).toMatchObject([
      { level: 'error', fields: { path: '/api/stats', reason: 'TypeError: no such field: <email>' } },
    ]);
  });
});
