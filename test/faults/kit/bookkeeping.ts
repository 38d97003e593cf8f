import { recording, type Workspace } from '../../support/workspace.ts';

/** A crash cuts attempts short, and they count: with the default, a delivery that many kills hit would be dead. */
const RETRY = 'retry: { attempts: 1_000 },';

/**
 * Writes handlers whose work can be checked. A handler and the effect of a machine record every
 * charge, and the state of the machine shows whether it received each charge once and in order.
 * Logins go through the shipped machine.
 */
export function writeBookkeeping(workspace: Workspace): void {
  workspace.writeHandler(
    'bookkeeping.ts',
    `${recording(workspace)}
import { defineMachine } from 'portaria';

export const booked = defineHandler({
  name: 'booked',
  on: 'charge.*',
  ${RETRY}
  handle({ data }) {
    record('booked ' + data.code);
  },
});

export const ledger = defineMachine({
  name: 'ledger',
  on: 'charge.*',
  ${RETRY}
  initial: { entries: 0, chain: 0 },
  // A lost, repeated or misplaced entry gives another number.
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
  workspace.writeHandler(
    'logins.ts',
    `${recording(workspace)}
import { loginAttempt } from 'portaria/handlers/login-attempt';

export default loginAttempt({
  ${RETRY}
  onSucceeded: ({ event }) => record('in ' + event.data.id + ' ' + event.data.occurred_at),
});
`,
  );
}
