import { defineHandler } from 'portaria';

/** The first id of the subjects for which it fails. */
const FIRST_FAILING = 9_000_000_000;

/** Does nothing, and fails always for some subjects, which it never gives up. */
export default defineHandler({
  name: 'noop',
  on: 'traffic-violation.created',
  retry: { attempts: 1_000 },
  breaker: { failures: 1_000_000, subjects: 1_000_000 },
  handle(event) {
    if (event.data.id >= FIRST_FAILING) throw new Error('this subject always fails');
  },
});
