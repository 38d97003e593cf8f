import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../event/stored-event.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { memoryMachineStates } from '../../testing/memory-machine-states.ts';
import { testEvent } from '../../testing/test-event.ts';
import { defineMachine } from '../define/machine.ts';
import { foldDelivery } from './fold-delivery.ts';
import { rebuildSubject } from './rebuild-subject.ts';

const clock = manualClock(5000);
const statuses = defineMachine({
  name: 'statuses',
  on: 'charge.payment-slip.*',
  initial: [] as readonly string[],
  evolve: (state, { data }) => [...state, data.status],
  anomalies: ({ after }) => (after.length > 2 ? ['more than two'] : []),
  effects: { always: { when: () => true, run: () => undefined } },
});

function slip(number: number, status: 'pending' | 'requested' | 'issued', second: number): StoredEvent {
  const data = { id: 7, status, updated_at: `2026-01-01T00:00:0${String(second)}Z` };
  return testEvent('charge.payment-slip.updated', { id: `abc123-${String(number)}`, data }) as StoredEvent;
}

const { subject } = slip(1, 'pending', 1);

describe('rebuilding a subject', () => {
  it('folds its stored events in version order and stores the state, without effects', async () => {
    const states = memoryMachineStates();
    for (const event of [slip(1, 'issued', 3), slip(2, 'pending', 1), slip(3, 'requested', 2)])
      states.log(event);
    expect(await rebuildSubject(statuses, 'default', subject, states, clock)).toEqual({
      before: null,
      after: ['pending', 'requested', 'issued'],
      events: 3,
      anomalies: [{ eventId: 'abc123-1', message: 'more than two' }],
      from: 'all',
    });
    expect(await states.machineState('statuses', 'default', subject)).toMatchObject({
      state: ['pending', 'requested', 'issued'],
      version: slip(1, 'issued', 3).version,
      lastEventId: 'abc123-3',
      revision: 1,
      updatedAt: 5000,
      anomalies: 1,
    });
  });

  it('leaves waiting events to their deliveries', async () => {
    const states = memoryMachineStates();
    const first = slip(1, 'pending', 1);
    states.log(first);
    await states.commitMachine(
      'default',
      subject,
      await foldDelivery(statuses, { event: first, replay: null }, states),
      0,
    );
    states.log(slip(2, 'issued', 2));
    expect(await rebuildSubject(statuses, 'default', subject, states, clock)).toMatchObject({
      after: ['pending'],
    });
    expect(await states.machineState('statuses', 'default', subject)).toMatchObject({
      lastEventId: 'abc123-1',
    });
  });

  it('returns null for a subject without events of the machine', async () => {
    const states = memoryMachineStates();
    expect(await rebuildSubject(statuses, 'default', subject, states, clock)).toBeNull();
    expect(await states.machineState('statuses', 'default', subject)).toBeNull();
  });

  it('starts over when the state changes meanwhile, and fails when it changes during every attempt', async () => {
    const states = memoryMachineStates();
    states.log(slip(1, 'pending', 1));
    const busy = (conflicts: number) => ({
      ...states,
      commitMachine: (...commit: Parameters<typeof states.commitMachine>) => {
        attempts += 1;
        if (attempts <= conflicts) return Promise.reject(new PortariaError('machine-conflict', 'busy'));
        return states.commitMachine(...commit);
      },
    });
    let attempts = 0;
    expect(await rebuildSubject(statuses, 'default', subject, busy(2), clock)).toMatchObject({
      after: ['pending'],
    });
    expect(attempts).toBe(3);
    attempts = 0;
    await expect(rebuildSubject(statuses, 'default', subject, busy(9), clock)).rejects.toThrow('busy');
    expect(attempts).toBe(5);
    const broken = {
      ...states,
      commitMachine: () => Promise.reject(new PortariaError('store-failed', 'disk')),
    };
    await expect(rebuildSubject(statuses, 'default', subject, broken, clock)).rejects.toThrow('disk');
  });
});
