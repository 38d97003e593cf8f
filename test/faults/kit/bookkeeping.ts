import { recording, type Workshop } from '../../support/workshop.ts';

/**
 * Handlers whose work can be checked: a plain one and the effect of a machine
 * each record every charge they get, and the machine's state tells whether it
 * took each exactly once and in order. Login attempts run through the shipped
 * machine.
 */
export function writeBookkeeping(place: Workshop): void {
  place.writeHandler(
    'bookkeeping.ts',
    `${recording(place)}
import { defineMachine } from 'portaria';

export const booked = defineHandler({
  name: 'booked',
  on: 'charge.*',
  handle({ data }) {
    record('booked ' + data.code);
  },
});

export const ledger = defineMachine({
  name: 'ledger',
  on: 'charge.*',
  initial: { entries: 0, chain: 0 },
  // Any entry lost, doubled or out of its place ends in another number.
  evolve: ({ entries, chain }, { data }) => ({
    entries: entries + 1,
    chain: (chain * 31 + Number(data.amount)) % 1_000_000_007,
  }),
  effects: {
    entered: {
      when: () => true,
      run: ({ event }) => record('entered ' + event.data.code),
    },
  },
});
`,
  );
  place.writeHandler(
    'logins.ts',
    `${recording(place)}
import { loginAttempt } from 'portaria/handlers/login-attempt';

export default loginAttempt({
  onSucceeded: ({ event }) => record('in ' + event.data.id + ' ' + event.data.occurred_at),
});
`,
  );
}
