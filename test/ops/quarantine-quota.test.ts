import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setUpOps, type OpsSetup } from './ops-setup.ts';

/** Room for two bodies of the tests, not for three. */
const QUOTA = 5_000;
const body = (mark: string): string => mark.repeat(1_500);

let setup: OpsSetup;

beforeEach(async () => {
  setup = await setUpOps({ maxQuarantineBytes: QUOTA });
  for (const mark of ['{', '[', '"']) await setup.receive(body(mark));
});

afterEach(() => setup.close());

describe('an entry that the quota dropped', () => {
  const explained = {
    status: 404,
    body: { message: expect.stringMatching(/^Quarantine entry q1 is gone: dropped by the quota/u) as string },
  };

  it('is not found, with the reason', async () => {
    expect(await setup.get('/api/quarantine/q1')).toMatchObject(explained);
    expect(await setup.get('/api/quarantine/q1/body?unmask=true')).toMatchObject(explained);
    expect(await setup.get('/api/quarantine/q9')).toMatchObject({
      status: 404,
      body: { message: 'There is no quarantine entry q9' },
    });
  });

  it('cannot be released by its id, with the reason', async () => {
    expect(await setup.post('/api/quarantine/release', { ids: ['q1'] })).toMatchObject({
      status: 404,
      body: { message: 'Dropped by the quota or by retention, or discarded: q1' },
    });
  });

  it('is counted in the statistics, with the size of the quarantine', async () => {
    const { body: statistics } = await setup.get('/api/stats');
    expect(statistics).toMatchObject({
      quarantine_held: 2,
      quarantine_max_bytes: QUOTA,
      quarantine_dropped: { verified: 0, unverified: 1 },
    });
    expect(Number(statistics['quarantine_bytes'])).toBeLessThanOrEqual(QUOTA);
    const metrics = await (await setup.request('/metrics')).text();
    expect(metrics).toContain('portaria_quarantine_dropped_total{sender="unverified"} 1');
    expect(metrics).toContain('portaria_quarantine_dropped_total{sender="verified"} 0');
    expect(metrics).toContain(`portaria_quarantine_bytes ${String(statistics['quarantine_bytes'])}`);
    expect(metrics).toContain(`portaria_quarantine_max_bytes ${String(QUOTA)}`);
  });

  it('is logged with the source whose webhook replaced it', () => {
    expect(setup.logged).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        fields: { event_name: 'quarantine.dropped', source: 'default', entries: 1 },
      }),
    );
  });
});
