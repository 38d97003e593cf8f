import { describe, expect, it } from 'vitest';
import { MachineFixture, slip, trail as machine } from '../../../test/support/machine-fixture.ts';
import { foldDelivery } from './fold-delivery.ts';

describe('folding a delivery', () => {
  it('stores the first state with what the first event called for', async () => {
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

  it('folds what follows into the known state, without reading the log', async () => {
    const desk = new MachineFixture();
    await desk.deliver(slip(1, 10, 'pending'));
    const blind = { ...desk.states, versionOrder: () => Promise.reject(new Error('read the log')) };
    const commit = await foldDelivery(machine, { event: slip(2, 11, 'issued'), replay: null }, blind);
    expect(commit).toMatchObject({
      state: { status: 'issued', trail: ['10', '11'] },
      lastEventId: 'abc123-2',
      revision: 1,
      refolded: false,
    });
  });

  it('adds the anomalies of an event that follows, and lists all after a refold', async () => {
    const desk = new MachineFixture();
    await desk.deliver(slip(1, 10, 'issued'));
    const left = { eventId: 'abc123-2', message: 'left issued for pending' };
    expect(await desk.deliver(slip(2, 20, 'pending'))).toMatchObject({ refolded: false, anomalies: [left] });
    expect(await desk.deliver(slip(3, 5, 'issued'))).toMatchObject({
      refolded: true,
      anomalies: [{ eventId: 'abc123-1', message: 'left issued for issued' }, left],
    });
  });

  it('puts a late event where it belongs and calls for the effects that were not there before', async () => {
    const desk = new MachineFixture();
    await desk.deliver(slip(1, 10, 'pending'));
    await desk.deliver(slip(2, 30, 'issued'));
    const commit = await desk.deliver(slip(3, 20, 'issued'));
    expect(commit).toMatchObject({
      state: { status: 'issued', trail: ['10', '20', '30'] },
      lastEventId: 'abc123-3',
      version: slip(2, 30, 'issued').version,
    });
    expect(commit.effects.map(({ eventId, name, late }) => [eventId, name, late])).toEqual([
      ['abc123-3', 'onIssued', true],
      ['abc123-3', 'onChange', true],
    ]);
  });

  it('marks late also what a late event brings about in what came after it', async () => {
    const desk = new MachineFixture();
    await desk.deliver(slip(1, 10, 'issued'));
    await desk.deliver(slip(2, 30, 'issued'));
    await desk.deliver(slip(3, 20, 'requested'));
    expect(desk.fired).toEqual([
      '1/onIssued',
      '1/onChange',
      '3/onChange late',
      '2/onIssued late',
      '2/onChange late',
    ]);
  });

  it('takes an event of equal version, or without one, in the order of arrival', async () => {
    const desk = new MachineFixture();
    await desk.deliver(slip(1, 10, 'pending', 'a'));
    expect(await desk.deliver(slip(2, 10, 'pending', 'b'))).toMatchObject({ refolded: false });
    const unversioned = await desk.deliver(slip(3, null, 'pending', 'c'));
    expect(unversioned).toMatchObject({ refolded: false, version: slip(1, 10, 'pending').version });
    const late = await desk.deliver(slip(4, 5, 'pending', 'd'));
    expect(late.state).toEqual({ status: 'pending', trail: ['d', 'a', 'b', 'c'] });
  });

  it('leaves events to their own delivery that are stored and not yet delivered', async () => {
    const desk = new MachineFixture();
    desk.states.log(slip(1, 10, 'pending'));
    desk.states.log(slip(2, 20, 'issued'));
    desk.states.log(slip(3, 15, 'requested'));
    expect((await desk.deliver(slip(1, 10, 'pending'), { log: false })).state).toMatchObject({
      trail: ['10'],
    });
    expect((await desk.deliver(slip(2, 20, 'issued'), { log: false })).state).toMatchObject({
      trail: ['10', '20'],
    });
    expect((await desk.deliver(slip(3, 15, 'requested'), { log: false })).state).toMatchObject({
      trail: ['10', '15', '20'],
    });
  });

  it('knows the history of a subject that is older than the machine, and acts on none of it', async () => {
    const desk = new MachineFixture();
    desk.states.log(slip(1, 10, 'pending'));
    desk.states.log(slip(2, 20, 'issued'));
    expect((await desk.deliver(slip(3, 30, 'rejected'))).state).toMatchObject({ trail: ['10', '20', '30'] });
    await desk.deliver(slip(4, 25, 'issued'));
    expect(desk.fired).toEqual(['3/onChange']);
  });
});

describe('a replay', () => {
  it('leaves the state as it is and repeats the effects of its event alone', async () => {
    const desk = new MachineFixture();
    await desk.deliver(slip(1, 10, 'pending'));
    await desk.deliver(slip(2, 20, 'issued'));
    const last = await desk.deliver(slip(3, 30, 'failed'));
    const again = await desk.deliver(slip(2, 20, 'issued'), { log: false, replay: 'r1' });
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

  it('calls late what was late at first', async () => {
    const desk = new MachineFixture();
    await desk.deliver(slip(1, 10, 'pending'));
    const stale = { ...slip(2, 5, 'issued'), verdict: 'stale' } as const;
    await desk.deliver(stale);
    const again = await desk.deliver(stale, { log: false, replay: 'r1' });
    expect(again.effects.map(({ late }) => late)).toEqual([true, true]);
  });
});

describe('an event on which the machine fails', () => {
  it('fails its own delivery', async () => {
    const desk = new MachineFixture();
    await desk.deliver(slip(1, 10, 'pending'));
    await expect(desk.deliver(slip(2, 20, 'pending', 'poison'))).rejects.toThrow('poisoned');
    await expect(desk.deliver(slip(3, 5, 'pending', 'poison'))).rejects.toThrow('poisoned');
  });

  it('is left out of later folds, and is an anomaly of them', async () => {
    const desk = new MachineFixture();
    desk.states.log(slip(1, 10, 'issued', 'poison'));
    await desk.deliver(slip(2, 20, 'pending'));
    const commit = await desk.deliver(slip(3, 15, 'requested'));
    expect(commit.state).toEqual({ status: 'pending', trail: ['15', '20'] });
    expect(commit.anomalies).toEqual([
      {
        eventId: 'abc123-1',
        message: expect.stringMatching(
          /^left out, because the machine failed on it: Error: poisoned/,
        ) as string,
      },
    ]);
  });

  it('is folded in once its own delivery comes again and goes well', async () => {
    let broken = true;
    const mended = new MachineFixture({
      ...machine,
      evolve(state, event) {
        if (broken && event.id === 'abc123-1') throw new Error('bug');
        return machine.evolve(state, event);
      },
    });
    await expect(mended.deliver(slip(1, 10, 'issued'))).rejects.toThrow('bug');
    await mended.deliver(slip(2, 20, 'pending'));
    broken = false;
    const retried = await mended.deliver(slip(1, 10, 'issued'), { log: false });
    expect(retried).toMatchObject({
      state: { trail: ['10', '20'] },
      lastEventId: 'abc123-2',
      refolded: true,
    });
    expect(mended.fired).toEqual(['2/onChange', '1/onIssued late', '1/onChange late']);
  });

  it('fails when its state is not JSON, and says where', async () => {
    const wrong = new MachineFixture({ ...machine, evolve: () => ({ at: new Date(0) }) as never });
    await expect(wrong.deliver(slip(1, 10, 'issued'))).rejects.toThrow(
      'the state of trail.at must be JSON, but is a Date',
    );
  });
});

describe('a machine that writes into the state it was given', () => {
  it('changes no history', async () => {
    const careless = new MachineFixture({
      ...machine,
      evolve(state, event) {
        (state as { trail: string[] }).trail.push(event.id);
        return state;
      },
    });
    await careless.deliver(slip(1, 10, 'pending'));
    const commit = await careless.deliver(slip(2, 5, 'pending'));
    expect(commit.state).toEqual({ status: 'none', trail: ['abc123-2', 'abc123-1'] });
    expect(machine.initial).toEqual({ status: 'none', trail: [] });
  });
});
