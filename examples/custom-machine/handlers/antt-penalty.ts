/** Follows each ANTT violation, and warns once when its penalty notice arrives. */
import { defineMachine } from 'portaria';

interface Penalty {
  readonly phase: 'open' | 'penalty' | 'paid';
  readonly dueDate: string | null;
}

const initial: Penalty = { phase: 'open', dueDate: null };

const phases: Readonly<Record<string, Penalty['phase']>> = {
  penalty_notice_issued: 'penalty',
  penalty_notice_received: 'penalty',
  paid: 'paid',
};

export default defineMachine({
  name: 'antt-penalty',
  on: 'antt-violation.*',
  initial,
  // Pure: Portaria folds the events of a violation again when one arrives late.
  evolve: (state, { data }): Penalty => ({
    phase: phases[data.status] ?? state.phase,
    dueDate: data.due_date ?? state.dueDate,
  }),
  anomalies: ({ before, after }) =>
    before.phase === 'paid' && after.phase !== 'paid' ? ['a paid violation is open again'] : [],
  effects: {
    warn: {
      when: ({ before, after }) => before.phase !== 'penalty' && after.phase === 'penalty',
      run: ({ event, after, late }, { log }) =>
        log.warn({ violation: event.data.id, dueDate: after.dueDate, late }, 'a penalty notice has arrived'),
    },
  },
});
