import { beforeEach, describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../event/stored-event.ts';
import { defineMachine } from '../../handle/define/machine.ts';
import { eventNumber } from '../../handle/fold/event-number.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { testEvent } from '../../testing/test-event.ts';
import type { RebuildView } from '../../view/operation-views.ts';
import { rebuildMachines, type RebuildDeps, type RebuildRequest } from './rebuild-machines.ts';

const machine = defineMachine({
  name: 'charge-status',
  on: 'charge.*',
  initial: { status: 'none' },
  evolve: (_state, event) => ({ status: event.data.status }),
});

/** Events of charges 1 to `count`, one each. */
const charges = (count: number): StoredEvent[] =>
  Array.from(
    { length: count },
    (_, at) =>
      testEvent('charge.updated', { id: `e-${String(at + 1)}`, data: { id: at + 1 } }) as StoredEvent,
  );

let events: StoredEvent[];
let committed: string[];
/** Subjects whose state changes at each read. */
let busy: ReadonlySet<string>;
let parts: RebuildDeps;

beforeEach(() => {
  events = charges(3);
  committed = [];
  busy = new Set();
  parts = {
    clock: manualClock(),
    registry: { definitions: [machine] },
    store: {
      sourcesOf: (subject) =>
        Promise.resolve([
          ...new Set(events.filter((event) => event.subject.id === subject.id).map((event) => event.source)),
        ]),
      deliveries: () => Promise.resolve([]),
      subjectsWithKinds: (_kinds, { limit, cursor }) => {
        const from = Number(cursor ?? 0);
        const found = events.slice(from, from + limit);
        return Promise.resolve({
          subjects: found.map(({ source, subject }) => ({ source, subject })),
          cursor: found.length < limit ? null : String(from + limit),
        });
      },
      machineState: () => Promise.resolve(null),
      machineBase: () => Promise.resolve(null),
      anomalies: () => Promise.resolve([]),
      versionOrder: ({ subject }) => {
        const numbers = events
          .filter((event) => event.subject.id === subject.id)
          .map(({ id }) => eventNumber(id));
        return Promise.resolve({
          events: Float64Array.from(numbers),
          version: null,
          erased: 0,
          prunedThrough: 0,
        });
      },
      storedEvents: (ids) =>
        Promise.resolve(events.filter(({ id }) => ids.includes(String(eventNumber(id))))),
      commitMachine: (_source, subject) => {
        if (busy.has(subject.id)) return Promise.reject(new PortariaError('machine-conflict', 'changed'));
        committed.push(subject.id);
        return Promise.resolve();
      },
    },
  };
});

async function rebuilt(request: Partial<RebuildRequest> = {}): Promise<readonly RebuildView[]> {
  return Array.fromAsync(rebuildMachines(parts, { dryRun: false, ...request }));
}

describe('a rebuild', () => {
  it('reports each subject, across pages', async () => {
    events = charges(1203);
    const reports = await rebuilt();
    expect(reports).toHaveLength(1203);
    expect(reports[0]).toEqual({
      machine: 'charge-status',
      source: 'default',
      subject: 'charge:1',
      outcome: 'changed',
      events: 1,
      anomalies: 0,
      message: null,
    });
    expect(new Set(committed).size).toBe(1203);
  });

  it('reports a subject that keeps changing as failed, and continues', async () => {
    busy = new Set(['2']);
    expect((await rebuilt()).map(({ subject, outcome }) => [subject, outcome])).toEqual([
      ['charge:1', 'changed'],
      ['charge:2', 'failed'],
      ['charge:3', 'changed'],
    ]);
  });

  it('stops at a store error', async () => {
    parts.store.commitMachine = () => Promise.reject(new PortariaError('store-full', 'The disk is full'));
    await expect(rebuilt()).rejects.toMatchObject({ code: 'store-full' });
  });

  it('reads only the sources of a named subject', async () => {
    events = charges(1);
    parts.store.subjectsWithKinds = () => Promise.reject(new Error('looked at all subjects'));
    expect(await rebuilt({ subject: { family: 'charge', id: '1' } })).toHaveLength(1);
    expect(await rebuilt({ subject: { family: 'charge', id: '1' }, source: 'other' })).toEqual([]);
  });
});
