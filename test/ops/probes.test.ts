import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PortariaError } from '../../src/kernel/errors.ts';
import { fixture } from '../support/webhooks/fixtures.ts';
import { setUpOps, type OpsSetup } from './ops-setup.ts';

let setup: OpsSetup;

beforeEach(async () => {
  setup = await setUpOps();
});
afterEach(() => setup.close());

const { type, data } = fixture('charge.updated');

async function metric(line: string): Promise<string | undefined> {
  const text = await (await setup.request('/metrics')).text();
  return text
    .split('\n')
    .find((each) => each.startsWith(`${line} `))
    ?.slice(line.length + 1);
}

describe('/healthz', () => {
  it('shows that the process is alive, and its version', async () => {
    expect(await setup.get('/healthz')).toMatchObject({
      status: 200,
      body: { status: 'ok', version: '1.2.3' },
    });
  });

  it('is the same when the process is not ready', async () => {
    setup.reasons = ['stopping'];
    expect((await setup.get('/healthz')).status).toBe(200);
  });
});

describe('/readyz', () => {
  it('is 200 when webhooks are accepted and delivered', async () => {
    expect(await setup.get('/readyz')).toMatchObject({ status: 200, body: { status: 'ready', reasons: [] } });
  });

  it('is 503 with all reasons otherwise', async () => {
    setup.reasons = ['stopping'];
    vi.spyOn(setup.store, 'healthy').mockReturnValue(false);
    expect(await setup.get('/readyz')).toMatchObject({
      status: 503,
      body: { status: 'not-ready', reasons: ['the store failed at its last write', 'stopping'] },
    });
  });
});

describe('/metrics', () => {
  it('has the totals of the store', async () => {
    setup.failing = true;
    await setup.receive({ type, data: { ...data, id: 1 } });
    await setup.receive('{');
    await setup.settle();
    expect(await metric('portaria_dead_letters{handler="billing"}')).toBe('1');
    expect(await metric('portaria_open_deliveries{handler="billing",status="pending"}')).toBe('0');
    expect(await metric('portaria_quarantine_held')).toBe('1');
    expect(await metric('portaria_oldest_pending_age_seconds')).toBe('0');
    expect(await metric('portaria_store_healthy')).toBe('1');
    const { storeId } = setup.store;
    expect(await metric(`portaria_info{store_id="${storeId}",version="1.2.3"}`)).toBe('1');
    expect(await metric('portaria_deliveries_total{handler="billing",result="dead"}')).toBe('1');
    expect(await metric('portaria_deliveries_total{handler="charge-status",result="succeeded"}')).toBe('1');
    expect(Number(await metric('portaria_store_bytes'))).toBeGreaterThan(0);
  });

  it('counts once per ten seconds, for all scrapes', async () => {
    const totals = vi.spyOn(setup.store, 'totals');
    await Promise.all([setup.request('/metrics'), setup.request('/metrics')]);
    setup.clock.advance(9_999);
    await setup.request('/metrics');
    expect(totals).toHaveBeenCalledTimes(1);
    setup.clock.advance(1);
    await setup.request('/metrics');
    expect(totals).toHaveBeenCalledTimes(2);
  });

  it('keeps the last numbers while the store fails', async () => {
    await setup.receive('{');
    expect(await metric('portaria_quarantine_held')).toBe('1');
    setup.clock.advance(10_000);
    vi.spyOn(setup.store, 'totals').mockRejectedValue(new PortariaError('store-failed', 'disk'));
    vi.spyOn(setup.store, 'healthy').mockReturnValue(false);
    expect(await metric('portaria_quarantine_held')).toBe('1');
    expect(await metric('portaria_store_healthy')).toBe('0');
  });

  it('is in the format that Prometheus reads', async () => {
    const response = await setup.request('/metrics');
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  });
});

describe('a store that fails', () => {
  it('is a 503 with Retry-After', async () => {
    vi.spyOn(setup.store, 'statistics').mockRejectedValue(
      new PortariaError('store-busy', '/srv/portaria.db: another process holds the write lock'),
    );
    const response = await setup.request('/api/stats');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.json()).toEqual({
      error: 'Service Unavailable',
      message: 'The store is busy or cannot be reached; try again',
    });
  });

  it('is a 500 without the error’s text on an unexpected error, which is logged scrubbed', async () => {
    vi.spyOn(setup.store, 'statistics').mockRejectedValue(new TypeError('no such field: ana@example.com'));
    expect(await setup.get('/api/stats')).toEqual({
      status: 500,
      body: { error: 'Internal Server Error', message: 'Unexpected error; the log has the details' },
      rows: [],
    });
    expect(setup.logged).toMatchObject([
      { level: 'error', fields: { path: '/api/stats', reason: 'TypeError: no such field: <email>' } },
    ]);
  });
});
