/** Settings of the simulated process that those around it know. */

/** Milliseconds for which events, entries and errors are kept. */
export const KEEP_MS = 48 * 3_600_000;

/** As `PORTARIA_FORWARD_GIVE_UP` has it. */
export const REFUSED = 422;
