/** Follows each ANTT violation, and warns once when its penalty notice arrives. */
import { defineMachine, nextPhase, type TransitionTable } from 'portaria';

/** The state of one violation: JSON, without personal data. */
interface Penalty {
  readonly phase: string;
  readonly dueDate: string | null;
}

/** The moves that are possible. The machine reads it, and `stateDiagram(table)` draws it. */
const table: TransitionTable = {
  initial: 'open',
  transitions: [
    { from: 'open', on: 'notice', to: 'penalty' },
    { from: 'open', on: 'payment', to: 'paid' },
    { from: 'penalty', on: 'payment', to: 'paid' },
  ],
};

/** What a status means for the machine. Any other status, also one of next year, moves nothing. */
const signals: Readonly<Record<string, { readonly signal: string; readonly reached: string }>> = {
  penalty_notice_issued: { signal: 'notice', reached: 'penalty' },
  penalty_notice_received: { signal: 'notice', reached: 'penalty' },
  paid: { signal: 'payment', reached: 'paid' },
};

const initial: Penalty = { phase: 'open', dueDate: null };

export default defineMachine({
  name: 'antt-penalty',
  on: ['antt-violation.created', 'antt-violation.updated'],
  initial,
  table,
  // Pure: Portaria folds the events of a violation again when one arrives late.
  evolve(state, { data }): Penalty {
    const signal = signals[data.status]?.signal;
    const next = signal === undefined ? undefined : nextPhase(table, state.phase, signal);
    return {
      phase: next ?? state.phase,
      dueDate: data.due_date ?? state.dueDate,
    };
  },
  // The change is kept; people see the reason in `machines list --anomalous`.
  anomalies({ before, after, event: { data } }) {
    const found = signals[data.status];
    return found === undefined || found.reached === after.phase
      ? []
      : [`a ${found.signal} does not follow the phase ${before.phase}`];
  },
  effects: {
    warn: {
      when: ({ before, after }) => before.phase !== 'penalty' && after.phase === 'penalty',
      // Here a call to your own system would pass `idempotencyKey` and `signal` on.
      run({ event, after, late }, { idempotencyKey, log }) {
        const violation = event.data.id;
        log.warn({ violation, dueDate: after.dueDate, late, idempotencyKey }, 'a penalty notice has arrived');
      },
    },
  },
  // Of each effect: sixteen attempts take twenty minutes or so.
  retry: { attempts: 16 },
});
