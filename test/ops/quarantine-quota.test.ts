import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openOpsDesk, type OpsDesk } from './ops-desk.ts';

/** Room for two bodies of the tests, not for three. */
const QUOTA = 5_000;
const body = (mark: string): string => mark.repeat(1_500);

let desk: OpsDesk;

beforeEach(async () => {
  desk = await openOpsDesk({ maxQuarantineBytes: QUOTA });
  for (const mark of ['{', '[', '"']) await desk.receive(body(mark));
});

afterEach(() => desk.close());

describe('an entry that the quota dropped', () => {
  const explained = {
    status: 404,
    body: { message: expect.stringMatching(/^Quarantine entry q1 was dropped by the quota/u) as string },
  };

  it('is not found, with the reason', async () => {
    expect(await desk.get('/api/quarantine/q1')).toMatchObject(explained);
    expect(await desk.get('/api/quarantine/q1/body?unmask=true')).toMatchObject(explained);
    expect(await desk.get('/api/quarantine/q9')).toMatchObject({
      status: 404,
      body: { message: 'There is no quarantine entry q9' },
    });
  });

  it('cannot be released by its id, with the reason', async () => {
    expect(await desk.post('/api/quarantine/release', { ids: ['q1'] })).toMatchObject({
      status: 404,
      body: { message: 'Dropped by the quota: q1' },
    });
  });

  it('is counted, with how full the quarantine is', async () => {
    const { body: statistics } = await desk.get('/api/stats');
    expect(statistics).toMatchObject({
      quarantine_held: 2,
      quarantine_max_bytes: QUOTA,
      quarantine_dropped: { verified: 0, unverified: 1 },
    });
    expect(Number(statistics['quarantine_bytes'])).toBeLessThanOrEqual(QUOTA);
    const metrics = await (await desk.request('/metrics')).text();
    expect(metrics).toContain('portaria_quarantine_dropped_total{sender="unverified"} 1');
    expect(metrics).toContain('portaria_quarantine_dropped_total{sender="verified"} 0');
    expect(metrics).toContain(`portaria_quarantine_bytes ${String(statistics['quarantine_bytes'])}`);
    expect(metrics).toContain(`portaria_quarantine_max_bytes ${String(QUOTA)}`);
  });

  it('is in the log, by the source whose webhook took its room', () => {
    expect(desk.logged).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        fields: { event_name: 'quarantine.dropped', source: 'default', entries: 1 },
      }),
    );
  });
});
