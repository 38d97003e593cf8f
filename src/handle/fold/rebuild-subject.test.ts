import { describe, expect, it } from 'vitest';
import { MachineFixture, slip, trail } from '../../../test/support/machine-fixture.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { memoryMachineStates } from '../../testing/memory-machine-states.ts';
import { rebuildSubject } from './rebuild-subject.ts';

const clock = manualClock(5000);
const { subject } = slip(1, 1, 'pending');
const pending = { status: 'pending', trail: ['1'] };

describe('rebuilding a subject', () => {
  it('folds its stored events in version order and stores the state, without effects', async () => {
    const states = memoryMachineStates();
    for (const event of [slip(1, 3, 'rejected'), slip(2, 1, 'pending'), slip(3, 2, 'issued')])
      states.log(event);
    const rejected = { status: 'rejected', trail: ['1', '2', '3'] };
    expect(await rebuildSubject(trail, 'default', subject, states, clock)).toEqual({
      before: null,
      after: rejected,
      events: 3,
      anomalies: [{ eventId: 'abc123-1', message: 'left issued for rejected' }],
      from: 'all',
    });
    expect(await states.machineState('trail', 'default', subject)).toMatchObject({
      state: rejected,
      version: slip(1, 3, 'rejected').version,
      lastEventId: 'abc123-3',
      revision: 1,
      updatedAt: 5000,
      anomalies: 1,
    });
  });

  it('leaves waiting events to their deliveries', async () => {
    const fixture = new MachineFixture();
    const { states } = fixture;
    await fixture.deliver(slip(1, 1, 'pending'));
    states.log(slip(2, 2, 'issued'));
    expect(await rebuildSubject(trail, 'default', subject, states, clock)).toMatchObject({ after: pending });
    expect(await states.machineState('trail', 'default', subject)).toMatchObject({ lastEventId: 'abc123-1' });
  });

  it('returns null for a subject without events of the machine', async () => {
    const states = memoryMachineStates();
    expect(await rebuildSubject(trail, 'default', subject, states, clock)).toBeNull();
    expect(await states.machineState('trail', 'default', subject)).toBeNull();
  });

  it('starts over when the state changes meanwhile, and fails when it changes during every attempt', async () => {
    const states = memoryMachineStates();
    states.log(slip(1, 1, 'pending'));
    const busy = (conflicts: number) => ({
      ...states,
      commitMachine: (...commit: Parameters<typeof states.commitMachine>) => {
        attempts += 1;
        if (attempts <= conflicts) return Promise.reject(new PortariaError('machine-conflict', 'busy'));
        return states.commitMachine(...commit);
      },
    });
    let attempts = 0;
    expect(await rebuildSubject(trail, 'default', subject, busy(2), clock)).toMatchObject({ after: pending });
    expect(attempts).toBe(3);
    attempts = 0;
    await expect(rebuildSubject(trail, 'default', subject, busy(9), clock)).rejects.toThrow('busy');
    expect(attempts).toBe(5);
    const broken = {
      ...states,
      commitMachine: () => Promise.reject(new PortariaError('store-failed', 'disk')),
    };
    await expect(rebuildSubject(trail, 'default', subject, broken, clock)).rejects.toThrow('disk');
  });
});
