import { describe, expect, it } from 'vitest';
import { slip, trail as machine, type Status } from '../../../test/support/machine-fixture.ts';
import { memoryMachineStates } from '../../testing/memory-machine-states.ts';
import { machinePath } from './machine-path.ts';

const subject = { source: 'default', subject: slip(1, 1, 'pending').subject };

function store(...statuses: readonly (readonly [number, Status])[]) {
  const states = memoryMachineStates();
  for (const [at, [second, status]] of statuses.entries()) states.log(slip(at + 1, second, status));
  return states;
}

describe('the path of a subject through a machine', () => {
  it('has the phase after each event, in the order of versions, with the event that moved it', async () => {
    const states = store([10, 'pending'], [30, 'rejected'], [20, 'requested']);
    const { steps, from, missing } = await machinePath(states, machine, subject, { unmask: false });
    expect(from).toEqual(['none']);
    expect(missing).toBeNull();
    expect(steps.map(({ eventId, phases, moves }) => [eventId, phases, moves])).toEqual([
      ['abc123-1', ['pending'], [{ from: 'none', to: 'pending' }]],
      ['abc123-3', ['requested'], [{ from: 'pending', to: 'requested' }]],
      ['abc123-2', ['rejected'], [{ from: 'requested', to: 'rejected' }]],
    ]);
  });

  it('has no move where an event leaves the phase, and the anomalies of each event', async () => {
    const states = store([10, 'issued'], [20, 'issued'], [30, 'pending']);
    const { steps } = await machinePath(states, machine, subject, { unmask: false });
    expect(steps.map(({ moves, anomalies }) => [moves.length, anomalies])).toEqual([
      [1, []],
      [0, ['left issued for issued']],
      [1, ['left issued for pending']],
    ]);
  });

  it('ends with the last of the wanted events in the order of versions', async () => {
    const states = store([10, 'pending'], [40, 'issued'], [20, 'requested'], [30, 'rejected']);
    const until = ['abc123-1', 'abc123-3'];
    const { steps } = await machinePath(states, machine, subject, { unmask: false, until });
    expect(steps.map(({ eventId }) => eventId)).toEqual(['abc123-1', 'abc123-3']);
    const none = await machinePath(states, machine, subject, { unmask: false, until: ['abc123-9'] });
    expect(none.steps).toEqual([]);
  });

  it('goes on after an event on which the machine fails', async () => {
    const states = memoryMachineStates();
    states.log(slip(1, 10, 'pending', 'poison'));
    states.log(slip(2, 20, 'issued'));
    const { steps } = await machinePath(states, machine, subject, { unmask: false });
    expect(steps.map(({ phases }) => phases)).toEqual([['none'], ['issued']]);
    expect(steps[0]?.anomalies[0]).toContain('the machine failed on it');
  });

  it('masks what anomalies quote of a payload, until it is unmasked', async () => {
    const states = store([10, 'issued'], [20, 'cpf 529.982.247-25' as Status]);
    const anomalies = async (unmask: boolean) =>
      (await machinePath(states, machine, subject, { unmask })).steps[1]?.anomalies;
    expect(await anomalies(false)).toEqual(['left issued for cpf <cpf>']);
    expect(await anomalies(true)).toEqual(['left issued for cpf 529.982.247-25']);
  });

  it('begins after pruned events with the state that they left', async () => {
    const states = store([10, 'pending'], [20, 'requested'], [30, 'issued']);
    states.prune(
      [1, 2],
      [{ machine: 'trail', ...subject, state: { status: 'requested', trail: [] }, through: 2, revision: 0 }],
    );
    const { steps, from, missing } = await machinePath(states, machine, subject, { unmask: false });
    expect([from, missing]).toEqual([['requested'], 'pruned']);
    expect(steps.map(({ eventId }) => eventId)).toEqual(['abc123-3']);
  });

  it('folds the latest 2,000 events of a longer history, and says so', async () => {
    const states = memoryMachineStates();
    for (let number = 1; number <= 2_100; number += 1) states.log(slip(number, number, 'pending'));
    // The trail of the other machine grows with each event.
    const short = { ...machine, evolve: () => ({ status: 'pending' }) };
    const { steps, missing } = await machinePath(states, short, subject, { unmask: false });
    expect(missing).toBe('long');
    expect(steps).toHaveLength(2_000);
    expect(steps.at(-1)?.eventId).toBe('abc123-2100');
  });
});
