import type { StoredEvent } from '../../src/event/stored-event.ts';
import { defineMachine, type Machine } from '../../src/handle/define/machine.ts';
import { foldDelivery } from '../../src/handle/fold/fold-delivery.ts';
import type { MachineCommit } from '../../src/store/lane-queue.ts';
import { memoryMachineStates, type MemoryMachineStates } from '../../src/testing/memory-machine-states.ts';
import { testEvent } from '../../src/testing/test-event.ts';

/** A machine that keeps the status of a slip and every reason that it received, in order. */
export const trail = defineMachine({
  name: 'trail',
  on: 'charge.payment-slip.*',
  initial: { status: 'none', trail: [] as readonly string[] },
  evolve(state, { data }) {
    if (data.status_reason === 'poison') throw new Error('poisoned');
    return { status: data.status, trail: [...state.trail, data.status_reason ?? '?'] };
  },
  anomalies: ({ before, after }) => (before.status === 'issued' ? [`left issued for ${after.status}`] : []),
  effects: {
    onIssued: {
      when: ({ before, after }) => after.status === 'issued' && before.status !== 'issued',
      run: () => undefined,
    },
    onChange: { when: ({ before, after }) => after.status !== before.status, run: () => undefined },
  },
});

export type Status = 'pending' | 'requested' | 'issued' | 'rejected' | 'failed';

/** Creates event `number`, with a version made of `second` (null: no version) and a reason that identifies it. */
export function slip(
  number: number,
  second: number | null,
  status: Status,
  reason = String(second),
): StoredEvent {
  const updated_at = second === null ? null : new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  const data = { id: 7, status, updated_at, status_reason: reason };
  return testEvent('charge.payment-slip.updated', { id: `abc123-${String(number)}`, data }) as StoredEvent;
}

/** Delivers events to a machine as a store does: logged at once, folded one after the other. */
export class MachineFixture {
  readonly states: MemoryMachineStates = memoryMachineStates();
  /** The effects that were delivered: `<event number>/<effect>`, followed by ` late` if it was late. */
  readonly fired: string[] = [];
  readonly #machine: Machine;

  constructor(of = trail) {
    this.#machine = of;
  }

  async deliver(
    event: StoredEvent,
    { log = true, replay = null as string | null } = {},
  ): Promise<MachineCommit> {
    if (log) this.states.log(event);
    const commit = await foldDelivery(this.#machine, { event, replay }, this.states);
    await this.states.commitMachine(event.source, event.subject, commit, 0);
    for (const { eventId, name, late } of commit.effects) {
      const key = `${eventId.slice(7)}/${name}`;
      if (!this.fired.some((known) => known.startsWith(key))) this.fired.push(key + (late ? ' late' : ''));
    }
    return commit;
  }
}
