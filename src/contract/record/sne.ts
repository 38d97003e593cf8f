/** Schema of the registration with the electronic notification system. */
import { closedSet, object, openSet } from '../field/schemas.ts';
import { date, timestamp } from '../field/time.ts';

/** `sne.status` of the specification's shared enumerations. */
export const sneStatus = closedSet(['active', 'inactive', 'unavailable', 'unknown', 'pending', 'canceling']);

/** Registration with the electronic notification system (specification, Resources, SNE block). */
export const sne = object({
  status: openSet(sneStatus)
    .nullish()
    .describe('State of the registration; sign-up and cancellation are asynchronous.'),
  sign_up_date: date.nullish().describe('Day of the sign-up.'),
  cancel_date: date.nullish().describe('Day of the cancellation; null while there is none.'),
  synced_at: timestamp.nullish().describe('When the state was last read from the system.'),
});
