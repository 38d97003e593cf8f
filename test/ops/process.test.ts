/** What the operators' API says of the process: handlers, statistics, the dispatcher. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { untilPasses } from '../support/eventually.ts';
import { eventKinds } from '../../src/contract/catalogue.ts';
import { fixture } from '../support/webhooks/fixtures.ts';
import { setUpOps, type OpsSetup, type Row } from './ops-setup.ts';

let setup: OpsSetup;

beforeEach(async () => {
  setup = await setUpOps();
});
afterEach(() => setup.close());

const { type, data } = fixture('charge.updated');

describe('handlers', () => {
  it('are listed with the kinds they take', async () => {
    const { rows } = await setup.get('/api/handlers');
    expect(rows).toMatchObject([
      {
        name: 'billing',
        type: 'handler',
        on: ['charge.*'],
        order: 'subject',
        stale: false,
        attempts: 1,
        moves: null,
      },
      {
        name: 'charge-status',
        type: 'machine',
        on: ['charge.updated'],
        order: 'subject',
        stale: true,
        effects: [],
      },
    ]);
  });

  it('cover each kind of the contract, or show that none does', async () => {
    const coverage = (await setup.get('/api/handlers')).body['coverage'] as Row[];
    expect(coverage.map((row) => row['kind'])).toEqual(eventKinds);
    expect(coverage).toContainEqual({
      kind: 'charge.updated',
      covered: true,
      handlers: ['billing', 'charge-status'],
    });
    expect(coverage).toContainEqual({ kind: 'company.created', covered: false, handlers: [] });
  });
});

describe('statistics', () => {
  it('name the processes that run deliveries', async () => {
    expect((await setup.get('/api/stats')).body).toMatchObject({ processes: [] });
    const about = { id: 'p', host: 'fleet-1', pid: 4711, version: '1.0.0', handlers: [] };
    await setup.store.registerProcess({ ...about, startedAt: Date.UTC(2026, 0, 1) }, []);
    expect((await setup.get('/api/stats')).body).toMatchObject({
      processes: [
        {
          ...{ host: 'fleet-1', pid: 4711, version: '1.0.0', leads: true, in_flight: 0 },
          ...{ started_at: '2026-01-01T00:00:00.000Z', seen_at: null },
        },
      ],
    });
  });

  it('count events and deliveries by result', async () => {
    await setup.receive({ type, data: { ...data, id: 1 } });
    await setup.receive({ type, data: { ...data, id: 1 } });
    await setup.receive({ type: 'surprise.created', data: {} });
    await setup.receive('{');
    await setup.settle();
    expect((await setup.get('/api/stats')).body).toMatchObject({
      events: 2,
      repeats: 1,
      by_verdict: { new: 2, stale: 0, ambiguous: 0 },
      unrecognized: 1,
      subjects: 2,
      quarantine_held: 1,
      deliveries: { pending: 0, running: 0, succeeded: 2, dead: 0, skipped: 0 },
      by_kind: [
        { kind: 'charge.updated', events: 1, last_received_at: '2026-11-20T12:00:00.000Z' },
        { kind: 'surprise.created', events: 1, last_received_at: '2026-11-20T12:00:00.000Z' },
      ],
      other_kinds: null,
      by_handler: [
        { handler: 'billing', succeeded: 1 },
        { handler: 'charge-status', succeeded: 1 },
      ],
      oldest_pending_at: null,
    });
  });
});

describe('the dispatcher', () => {
  it('shows open breakers, until when and why', async () => {
    expect((await setup.get('/api/dispatch')).body).toEqual({
      ...{ running: 0, open_breakers: [], rates: { waiting: [], closed: [] } },
    });
    setup.failing = 'no user 529.982.247-25';
    for (let id = 1; id <= 20; id += 1) await setup.receive({ type, data: { ...data, id } });
    // Handed-back deliveries wait for the breaker, so the setup never settles.
    const { body } = await untilPasses(async () => {
      const answer = await setup.get('/api/dispatch');
      expect(answer.body['open_breakers']).toHaveLength(1);
      return answer;
    });
    expect(body['open_breakers']).toEqual([
      {
        handler: 'billing',
        until: '2026-11-20T12:00:01.000Z',
        reason: expect.stringContaining('no user <cpf>') as string,
      },
    ]);
    expect((await setup.get('/api/dispatch?unmask=true')).body['open_breakers']).toMatchObject([
      { reason: expect.stringContaining('no user 529.982.247-25') as string },
    ]);
    expect(setup.logged.filter(({ fields }) => 'action' in fields)).toMatchObject([
      { fields: { action: 'showDispatch', unmasked: true } },
    ]);
  });
});
