import { beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../kernel/time/clock.ts';
import type { DeliveryRecord, DeliveryStatus } from '../../store/queries.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { retryDeliveries } from './change-deliveries.ts';

/** Calls of the store and the clock, in order. */
let steps: string[];
let statuses: Map<string, DeliveryStatus>;

const clock: Clock = {
  ...manualClock(),
  after(_, callback) {
    steps.push('pause');
    setImmediate(callback);
    return () => undefined;
  },
};

const store: Parameters<typeof retryDeliveries>[0] = {
  deliveries(filter, { limit, after }) {
    const fitting = [...statuses]
      .filter(([id, status]) => {
        const isAsked = filter.ids?.includes(id) ?? status === filter.status;
        return isAsked && (after === undefined || number(id) > number(after));
      })
      .map(([id, status]) => ({ id, status }) as DeliveryRecord);
    return Promise.resolve(fitting.slice(0, limit));
  },
  retryDeliveries(ids) {
    steps.push(`retry ${String(ids.length)}`);
    for (const id of ids) statuses.set(id, 'pending');
    return Promise.resolve(ids);
  },
  overtaken: ({ ids = [] }, { handlers }) =>
    Promise.resolve(
      ids.includes('d7') && handlers.includes('ledger')
        ? [{ id: 'd7', handler: 'ledger', by: 'e-9', ofHandler: 1 }]
        : [],
    ),
};

const number = (id: string) => Number(id.slice(1));
const idsUpTo = (last: number) => Array.from({ length: last }, (_, at) => `d${String(at + 1)}`);

beforeEach(() => {
  steps = [];
  statuses = new Map(idsUpTo(1201).map((id) => [id, 'dead']));
});

describe('retrying more deliveries than one write takes', () => {
  it('writes in pages, with pauses for other writers', async () => {
    const result = await retryDeliveries(store, { filter: {}, clock, newestOnly: [], dryRun: false });

    expect(result).toEqual({ retried: idsUpTo(1201), left_alone: [] });
    expect(steps).toEqual(['retry 500', 'pause', 'retry 500', 'pause', 'retry 201']);
  });

  it('does the same for ids, and reports each once', async () => {
    statuses.set('d2', 'succeeded').delete('d1100');
    const filter = { ids: [...idsUpTo(1201), 'd1'] };

    const result = await retryDeliveries(store, { filter, clock, newestOnly: [], dryRun: false });

    expect(result.retried).toHaveLength(1199);
    expect(result.left_alone).toEqual([
      { id: 'd2', status: 'succeeded' },
      { id: 'd1100', status: null },
    ]);
    expect(steps).toEqual(['retry 499', 'pause', 'retry 500', 'pause', 'retry 200']);
  });

  it('reports a dry run without changes', async () => {
    const result = await retryDeliveries(store, { filter: {}, clock, newestOnly: [], dryRun: true });

    expect(result.retried).toHaveLength(1201);
    expect(steps).toEqual(['pause', 'pause']);
  });

  it('leaves alone what is overtaken for handlers that want only the newest, in a dry run, too', async () => {
    for (const dryRun of [true, false]) {
      const result = await retryDeliveries(store, { filter: {}, clock, newestOnly: ['ledger'], dryRun });

      expect(result.retried).toHaveLength(1200);
      expect(result.retried).not.toContain('d7');
    }
    const named = { filter: { ids: ['d7'] }, clock, newestOnly: ['ledger'], dryRun: false };
    expect(await retryDeliveries(store, named)).toEqual({
      retried: [],
      left_alone: [{ id: 'd7', status: 'dead', overtaken_by: 'e-9' }],
    });
  });
});
