import { describe, expect, it } from 'vitest';
import { MachineFixture, slip, trail as machine } from '../../../test/support/machine-fixture.ts';
import { foldDelivery } from './fold-delivery.ts';

describe('foldDelivery', () => {
  it('stores the first state with the effects of the first event', async () => {
    const commit = await new MachineFixture().deliver(slip(1, 10, 'pending'));
    expect(commit).toEqual({
      machine: 'trail',
      state: { status: 'pending', trail: ['10'] },
      version: slip(1, 10, 'pending').version,
      lastEventId: 'abc123-1',
      revision: 0,
      anomalies: [],
      refolded: true,
      effects: [
        {
          eventId: 'abc123-1',
          name: 'onChange',
          change: { before: { status: 'none', trail: [] }, after: { status: 'pending', trail: ['10'] } },
          late: false,
        },
      ],
    });
  });

  it('folds the next event into the current state without reading the log', async () => {
    const fixture = new MachineFixture();
    await fixture.deliver(slip(1, 10, 'pending'));
    const withoutLog = { ...fixture.states, versionOrder: () => Promise.reject(new Error('read the log')) };
    const commit = await foldDelivery(machine, { event: slip(2, 11, 'issued'), replay: null }, withoutLog);
    expect(commit).toMatchObject({
      state: { status: 'issued', trail: ['10', '11'] },
      lastEventId: 'abc123-2',
      revision: 1,
      refolded: false,
    });
  });

  it('adds the anomalies of the next event, and lists all anomalies after a refold', async () => {
    const fixture = new MachineFixture();
    await fixture.deliver(slip(1, 10, 'issued'));
    const anomaly = { eventId: 'abc123-2', message: 'left issued for pending' };
    expect(await fixture.deliver(slip(2, 20, 'pending'))).toMatchObject({
      refolded: false,
      anomalies: [anomaly],
    });
    expect(await fixture.deliver(slip(3, 5, 'issued'))).toMatchObject({
      refolded: true,
      anomalies: [{ eventId: 'abc123-1', message: 'left issued for issued' }, anomaly],
    });
  });

  it('folds an event of equal version, or without a version, in the order of arrival', async () => {
    const fixture = new MachineFixture();
    await fixture.deliver(slip(1, 10, 'pending', 'a'));
    expect(await fixture.deliver(slip(2, 10, 'pending', 'b'))).toMatchObject({ refolded: false });
    const unversioned = await fixture.deliver(slip(3, null, 'pending', 'c'));
    expect(unversioned).toMatchObject({ refolded: false, version: slip(1, 10, 'pending').version });
    const late = await fixture.deliver(slip(4, 5, 'pending', 'd'));
    expect(late.state).toEqual({ status: 'pending', trail: ['d', 'a', 'b', 'c'] });
  });

  it('leaves stored events that are not yet delivered to their own deliveries', async () => {
    const fixture = new MachineFixture();
    const logged = [slip(1, 10, 'pending'), slip(2, 20, 'issued'), slip(3, 15, 'requested')];
    for (const event of logged) fixture.states.log(event);
    const trails: unknown[] = [];
    for (const event of logged) trails.push((await fixture.deliver(event, { log: false })).state);
    expect(trails).toMatchObject([{ trail: ['10'] }, { trail: ['10', '20'] }, { trail: ['10', '15', '20'] }]);
  });

  it('folds the history of a subject that is older than the machine, without its effects', async () => {
    const fixture = new MachineFixture();
    fixture.states.log(slip(1, 10, 'pending'));
    fixture.states.log(slip(2, 20, 'issued'));
    expect((await fixture.deliver(slip(3, 30, 'rejected'))).state).toMatchObject({
      trail: ['10', '20', '30'],
    });
    await fixture.deliver(slip(4, 25, 'issued'));
    expect(fixture.fired).toEqual(['3/onChange']);
  });
});

describe('a replay', () => {
  it('leaves the state unchanged and repeats only the effects of its own event', async () => {
    const fixture = new MachineFixture();
    await fixture.deliver(slip(1, 10, 'pending'));
    await fixture.deliver(slip(2, 20, 'issued'));
    const last = await fixture.deliver(slip(3, 30, 'failed'));
    const again = await fixture.deliver(slip(2, 20, 'issued'), { log: false, replay: 'r1' });
    expect(again).toMatchObject({
      state: last.state,
      version: last.version,
      lastEventId: 'abc123-3',
      revision: 3,
    });
    expect(again.effects.map(({ eventId, name, late }) => [eventId, name, late])).toEqual([
      ['abc123-2', 'onIssued', false],
      ['abc123-2', 'onChange', false],
    ]);
  });

  it('marks effects as late if they were late at first', async () => {
    const fixture = new MachineFixture();
    await fixture.deliver(slip(1, 10, 'pending'));
    const stale = { ...slip(2, 5, 'issued'), verdict: 'stale' } as const;
    await fixture.deliver(stale);
    const again = await fixture.deliver(stale, { log: false, replay: 'r1' });
    expect(again.effects.map(({ late }) => late)).toEqual([true, true]);
  });
});

describe('an event on which the machine fails', () => {
  it('fails its own delivery', async () => {
    const fixture = new MachineFixture();
    await fixture.deliver(slip(1, 10, 'pending'));
    await expect(fixture.deliver(slip(2, 20, 'pending', 'poison'))).rejects.toThrow('poisoned');
    await expect(fixture.deliver(slip(3, 5, 'pending', 'poison'))).rejects.toThrow('poisoned');
  });

  it('is ignored by later folds, with an anomaly', async () => {
    const fixture = new MachineFixture();
    fixture.states.log(slip(1, 10, 'issued', 'poison'));
    await fixture.deliver(slip(2, 20, 'pending'));
    const commit = await fixture.deliver(slip(3, 15, 'requested'));
    expect(commit.state).toEqual({ status: 'pending', trail: ['15', '20'] });
    expect(commit.anomalies).toEqual([
      {
        eventId: 'abc123-1',
        message: expect.stringMatching(
          /^ignored, because the machine failed on it: Error: poisoned/,
        ) as string,
      },
    ]);
  });

  it('is folded when its own delivery succeeds on a retry', async () => {
    let broken = true;
    const fixed = new MachineFixture({
      ...machine,
      evolve(state, event) {
        if (broken && event.id === 'abc123-1') throw new Error('bug');
        return machine.evolve(state, event);
      },
    });
    await expect(fixed.deliver(slip(1, 10, 'issued'))).rejects.toThrow('bug');
    await fixed.deliver(slip(2, 20, 'pending'));
    broken = false;
    const retried = await fixed.deliver(slip(1, 10, 'issued'), { log: false });
    expect(retried).toMatchObject({
      state: { trail: ['10', '20'] },
      lastEventId: 'abc123-2',
      refolded: true,
    });
    expect(fixed.fired).toEqual(['2/onChange', '1/onIssued late', '1/onChange late']);
  });

  it('fails when the state is not JSON, and names the part that is not', async () => {
    const wrong = new MachineFixture({ ...machine, evolve: () => ({ at: new Date(0) }) as never });
    await expect(wrong.deliver(slip(1, 10, 'issued'))).rejects.toThrow(
      'the state of trail.at must be JSON, but is a Date',
    );
  });
});

describe('a machine whose evolve writes into its argument', () => {
  it('does not change earlier states', async () => {
    const mutating = new MachineFixture({
      ...machine,
      evolve(state, event) {
        (state as { trail: string[] }).trail.push(event.id);
        return state;
      },
    });
    await mutating.deliver(slip(1, 10, 'pending'));
    const commit = await mutating.deliver(slip(2, 5, 'pending'));
    expect(commit.state).toEqual({ status: 'none', trail: ['abc123-2', 'abc123-1'] });
    expect(machine.initial).toEqual({ status: 'none', trail: [] });
  });
});
